/*
 * Writing JSON as a stream: nothing is built in memory, so ten thousand findings cost no more than
 * one, and a writer can be left in the middle of a list between two files. The writer adds commas,
 * indentation and escapes; the output is valid UTF-8 JSON whatever bytes a string holds.
 *
 *     struct json j;
 *
 *     json_begin(&j, stdout);
 *     json_object(&j, NULL);
 *     json_int(&j, "version", 1);
 *     json_array(&j, "findings");
 *     json_end(&j);
 *     json_end(&j);
 *     json_finish(&j);
 *
 * KEY is the member's name inside an object and NULL inside an array or at the top.
 */
#ifndef STOWAGE_BASE_JSON_H
#define STOWAGE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH	16

struct json {
	FILE *out;
	bool in_page;	/* set after json_begin(): no string ends the <script> it stands in */
	int depth;
	char close[JSON_DEPTH];	/* '}' or ']' */
	bool filled[JSON_DEPTH];	/* has this level a member yet? */
	bool flat[JSON_DEPTH];	/* is it written on one line? */
};

void	json_begin(struct json *, FILE *);
void	json_finish(struct json *);	/* closes what is open and ends the line */

void	json_object(struct json *, const char *key);
void	json_array(struct json *, const char *key);
void	json_flat_object(struct json *, const char *key);	/* it and all inside on one line */
void	json_flat_array(struct json *, const char *key);
void	json_end(struct json *);	/* closes the innermost object or array */

void	json_int(struct json *, const char *key, int64_t);
void	json_real(struct json *, const char *key, double);	/* null when not finite */
void	json_bool(struct json *, const char *key, bool);
void	json_null(struct json *, const char *key);
void	json_string(struct json *, const char *key, const char *);	/* null when NULL */

#endif
