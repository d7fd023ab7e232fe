"""Compact models of our own: small encoders in int8 ONNX, run by onnxruntime on a few threads."""
