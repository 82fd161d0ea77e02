/*
 * What is kept of an analysis for the next one, so that networks that are as they were need not be
 * compiled again. A file is a row of blocks and networks and what lies between them. As long as
 * only blocks and networks differ, what was found of a network holds if it is the same, and so is
 * each block that it uses, those that are used by these among them. Places in it move with the item
 * in which they lie.
 *
 * It is written by the process of an analysis, kept by the server as it came, and read by the next
 * process:
 *
 *     { "items": [ [ BEG, END, NAME ] ... ],		blocks and networks, as they stand in the text
 *       "networks": { NAME: ... } }			what is known of them: findings (known.c), or facts (facts.c)
 */
#ifndef STOWAGE_LSP_KNOWN_H
#define STOWAGE_LSP_KNOWN_H

#include "lsp/server.h"

#include "lang/expand.h"

struct known_item {		/* a block or a network */
	const char *name;
	bool block;
	int beg, end;
	int was_beg, was_end;
	bool changed;		/* or what it uses has */
};

struct known_text {
	struct arena *arena;
	const struct memory *memory;
	json_t *said;		/* what the memory holds; NULL: nothing */
	struct known_item *item;	/* by place, once a file was looked at; NULL: nothing may be used again */
	int items;
	const struct file *file;	/* that was looked at */
};

void	known_text_init(struct known_text *, struct arena *, const struct memory *);
void	known_text_free(struct known_text *);

/* What is known of a network of the spec that need not be compiled again; NULL: nothing. */
const json_t	*known_network(struct known_text *, const struct spec *, const struct network *);

/* Where what lay there is now; false: it may be gone. */
bool	known_place(const struct known_text *, int *beg, int *end);

/* What is to be kept: NETWORKS, which it takes, with where the items of the file are. */
json_t	*known_said(const struct file *, json_t *networks);

/* ---- findings ---- */

struct lint_check;

struct known_findings {
	struct known known;
	struct known_text text;
	VEC(const char *) used;	/* networks of which all was known */
	VEC(struct diag *) all;	/* of these */
};

void	known_findings_init(struct known_findings *, struct arena *, const struct memory *);

/* What an analysis found of each network, for the next one; NULL: that cannot be said of each
 * alone. */
json_t	*known_findings_said(const struct lint_check *, const struct known_findings *);

/* ---- in the server ---- */

/* Keeps what was said of the document as it is. */
void	memory_keep(struct memory *, const struct document *, const char *said, size_t n);
void	memory_drop(struct memory *);

#endif
