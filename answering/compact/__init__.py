"""Compact models: small encoders trained for Credence, as int8 ONNX, run by onnxruntime."""
