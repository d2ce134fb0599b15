"""What decoders of machines do step by step: runs in integers and floats, what heads retrieve, where floats err."""
