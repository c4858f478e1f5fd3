"""What the stress tests on questions with options share: the prompt, the plan, the static and the adaptive loop, their summary."""
