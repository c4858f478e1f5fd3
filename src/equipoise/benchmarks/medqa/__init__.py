"""MedQA: questions of the United States medical licensing examination, with four or five options."""
