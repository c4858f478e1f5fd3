"""What is answered at each address; one file a kind of user. Who may ask is in `equipoise.study.desk.access`, nowhere else."""
