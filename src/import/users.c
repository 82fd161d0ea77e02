/*
 * Who reads a name of the model: what is read once may become part of its reader.
 */
#include "import/importer.h"

struct users {
	int n;
	const struct model_node *only;
};

void
count_users(struct importer *im)
{
	int i, k;

	for (i = 0; i < im->model->nodes.n; i++) {
		const struct model_node *n = im->model->nodes.v[i];

		for (k = 0; k < n->nin; k++) {
			struct users *u = map_get(&im->users, n->in[k]);

			if (!u) {
				u = ARENA_NEW(im->arena, struct users);
				map_put(im->arena, &im->users, n->in[k], u);
			}
			u->n++;
			u->only = n;
		}
	}
	for (i = 0; i < im->model->outputs.n; i++) {
		struct users *u = map_get(&im->users, im->model->outputs.v[i].name);

		if (!u) {
			u = ARENA_NEW(im->arena, struct users);
			map_put(im->arena, &im->users, im->model->outputs.v[i].name, u);
		}
		u->n += 2;	/* a result is read by more than a node */
	}
}

const struct model_node *
sole_user(struct importer *im, const char *name)
{
	const struct users *u = map_get(&im->users, name);

	return u && u->n == 1 ? u->only : NULL;
}

bool
read_by_node(struct importer *im, const char *name)
{
	const struct users *u = map_get(&im->users, name);

	return *name && u && u->only;
}

void
node_done(struct importer *im, const struct model_node *n)
{
	map_put(im->arena, &im->done, n->out[0], (void *)n);
}
