"""Robustness under the attacks of DAS red-teaming (arXiv:2508.00923), each alone or chosen by a strategist."""
