/*
 * jax: the tensors of a step without any allocator, each in its own bytes. XLA orders and fuses a
 * step as a whole, which is not modelled: PyTorch's order stands in for it, and says so.
 */
#include "frameworks/framework.h"

const struct framework framework_jax = {
	.name = "jax",
	.runtime = "JAX",
	.brief = "JAX, compiled by XLA",
	.doc = "PyTorch's tensors, each in its own bytes: XLA, which orders and fuses a step as a "
	    "whole, may keep fewer. What it takes of the device beforehand is not known.",
	.simulate = eager_simulate,
	.tensors = "as in PyTorch: XLA may keep fewer",
	.heading = "JAX, by PyTorch's order of the same tensors,",
	.unknown = "XLA",
};
