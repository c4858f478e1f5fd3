"""CDS Hooks 2.0: discovery, the services at order-select and order-sign, cards, feedback (https://cds-hooks.hl7.org/2.0/)."""
