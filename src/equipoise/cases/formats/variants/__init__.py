"""Lists of variants with protein changes, as laboratories and annotators write them."""
