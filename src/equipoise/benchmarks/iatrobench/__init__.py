"""IatroBench: health vignettes in lay and professional framing, with what a reply must not leave out."""
