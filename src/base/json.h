/*
 * Writing JSON as a stream: nothing is built in memory, so ten thousand findings cost no more than
 * one, and a writer can be left in the middle of a list between two files. The writer adds commas,
 * indentation and escapes; the output is valid UTF-8 JSON whatever bytes a string holds.
 *
 *     struct json j;
 *
 *     jsonw_begin(&j, stdout);
 *     jsonw_object(&j, NULL);
 *     jsonw_int(&j, "version", 1);
 *     jsonw_array(&j, "findings");
 *     jsonw_end(&j);
 *     jsonw_end(&j);
 *     jsonw_finish(&j);
 *
 * KEY is the member's name inside an object and NULL inside an array or at the top. What reads
 * JSON, or builds it in memory, uses jansson, whose names these must not be.
 */
#ifndef STOWAGE_BASE_JSON_H
#define STOWAGE_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH	16

struct json {
	FILE *out;
	bool in_page;	/* set after jsonw_begin(): no string ends the <script> it stands in */
	int depth;
	char close[JSON_DEPTH];	/* '}' or ']' */
	bool filled[JSON_DEPTH];	/* has this level a member yet? */
	bool flat[JSON_DEPTH];	/* is it written on one line? */
};

void	jsonw_begin(struct json *, FILE *);
void	jsonw_finish(struct json *);	/* closes what is open and ends the line */

void	jsonw_object(struct json *, const char *key);
void	jsonw_array(struct json *, const char *key);
void	jsonw_flat_object(struct json *, const char *key);	/* it and all inside on one line */
void	jsonw_flat_array(struct json *, const char *key);
void	jsonw_end(struct json *);	/* closes the innermost object or array */

void	jsonw_int(struct json *, const char *key, int64_t);
void	jsonw_real(struct json *, const char *key, double);	/* null when not finite */
void	jsonw_bool(struct json *, const char *key, bool);
void	jsonw_null(struct json *, const char *key);
void	jsonw_string(struct json *, const char *key, const char *);	/* null when NULL */

#endif
