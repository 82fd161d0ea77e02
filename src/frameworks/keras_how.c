/* Where edits of a spec are written in a program with Keras, which most of TensorFlow's users
 * have. */
#include "frameworks/framework.h"

const struct framework_how framework_how_keras[] = {
	{ "batch", "batch_size of model.fit()" },
	{ "accumulate", "batch_size of model.fit(), gradient_accumulation_steps of the optimizer (Keras 3)" },
	{ "validate", "validation_batch_size of model.fit(), batch_size of evaluate() and predict()" },
	{ "optimizer", "optimizer of model.compile()" },
	{ "freeze", "layer.trainable = False before model.compile()" },
	{ "resize", "image_size of image_dataset_from_directory(), and the shape of the model's Input" },
	{ "greyscale", "color_mode=\"grayscale\" of image_dataset_from_directory(), one channel in the model's "
	    "Input" },
	{ NULL, NULL }
};
