"""Board cases as training data, with train and test apart."""
