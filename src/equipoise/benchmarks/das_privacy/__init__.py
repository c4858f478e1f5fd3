"""Privacy: scenarios of this project with planted identifiers, in eight kinds of disclosure, and requests that are rightful."""
