/*
 * What a network is for, by names that stand in a report: of libraries, sets of data and kinds of
 * networks, or of other programs. What fills memory differs from one to the other; that it is of
 * what failed no name tells.
 */
#ifndef STOWAGE_OOM_OOM_DOMAIN_H
#define STOWAGE_OOM_OOM_DOMAIN_H

#include "oom/oom_knob.h"

enum oom_domain {
	DOMAIN_SPEAKERS,	/* of a recording, who are told apart */
	DOMAIN_FRAMES,		/* of a video that SAM 2 goes through */
	DOMAIN_FRAMES_3,	/* or SAM 3 */
	DOMAIN_POINTS,		/* of two pictures, which are matched */
	DOMAIN_FLUX,		/* images that FLUX.1 makes, or is trained for */
	DOMAIN_RANKS,		/* samples that are ranked by their neighbours */
	DOMAIN_TRANSDUCER,	/* recordings, by a loss over frames, labels and words */
	DOMAIN_SPEECH,		/* recordings */
	DOMAIN_ENTITIES,	/* a graph of knowledge */
	DOMAIN_VOLUMES,
	DOMAIN_FLAT,		/* or pictures, of programs that are for both */
	DOMAIN_PROTEINS,
	DOMAIN_PARTICLES,	/* pictures of proteins are sorted and added up, which no network is given */
	DOMAIN_ATOMS,		/* which programs of another kind move by forces, so that no network has them */
	DOMAIN_TEXTS,		/* that are learned word by word */
	DOMAIN_CHAINS,		/* samples that chains draw (MCMC) */
	DOMAIN_BROWSER,		/* TensorFlow.js, */
	DOMAIN_WEBGL,		/* and on what it runs there: by itself of no network */
	DOMAIN_STEMS,		/* recordings that Spleeter parts */
	DOMAIN_METRICS,		/* what torchmetrics gathers */
	DOMAIN_RESULTS,		/* pictures that Ultralytics' models are asked of, */
	DOMAIN_PREDICTS,	/* by calls that are, */
	DOMAIN_FILMS,		/* videos that are read, by names of what does */
	DOMAIN_STREAMS,		/* and the option by which it gives one result after the other */
	DOMAIN_LISTS,		/* lists of them, which are one batch */
	DOMAIN_EMBEDS,		/* texts of which sentence-transformers makes vectors, */
	DOMAIN_ENCODES,		/* by the call that does */
	DOMAIN_SWAPS,		/* faces that are put in the place of others in films */
	DOMAIN_VISION,		/* Qwen's models that are given pictures */
	DOMAIN_LMDEPLOY,	/* texts that LMDeploy serves, */
	DOMAIN_SGLANG,		/* or SGLang */
	DOMAIN_DENSE,		/* points of all pixels of a scene's pictures, */
	DOMAIN_COLMAP,		/* by COLMAP */
	DOMAIN_KEYPOINTS,	/* points of pictures that it finds, one picture a thread */
	DOMAIN_JACOBIAN,	/* equations of change that Julia's solvers go through by their Jacobian, */
	DOMAIN_STIFF,		/* by the names of such solvers */
	DOMAIN_CELLS,		/* a mesh of OpenFOAM's */
	DOMAIN_INTEGRALS,	/* of density fitting, in PySCF */
	DOMAIN_BETWEEN,		/* frames between those of a film */
	DOMAIN_MESHES,		/* a surface that is made of a field of values */
	DOMAIN_RESTORES,	/* pictures that are enlarged or restored, by names of networks for that, */
	DOMAIN_ENLARGES,	/* or by words for it, */
	DOMAIN_DRAWN,		/* which may mean that they are drawn anew by diffusion */
	DOMAINS
};

/* Line LINE of the log, which is no comment. */
void	oom_domain_line(struct oom_knob[DOMAINS], struct talk, int line);

#endif
