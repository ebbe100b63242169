"""Reads every tensor of the checkpoint that each line names; says `ok`, or why it cannot."""
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
import tensorflow as tf

for line in sys.stdin:
    try:
        reader = tf.train.load_checkpoint(line.rstrip("\n"))
        read = [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()]
        print("ok" if read else "empty")
    except Exception as error:
        print(" ".join(str(error).split()))
