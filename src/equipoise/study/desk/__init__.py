"""The desk: a study's raters, adjudicators and coordinators in a browser. Server-rendered, nothing loaded from elsewhere."""
