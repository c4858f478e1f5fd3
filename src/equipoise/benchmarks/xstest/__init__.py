"""XSTest: safe prompts that look unsafe, and the unsafe ones they look like."""
