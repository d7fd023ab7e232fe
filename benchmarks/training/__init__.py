"""How the compact models were made: data, training, export. Needs the extra `train`; the service does not."""
