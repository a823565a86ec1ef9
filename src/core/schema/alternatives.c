/*
 * Several schemas for one value.  If none of some alternatives fits, the one that was probably meant is found: the only
 * one that takes a value of this type or, of objects, the only one whose fixed members are those of the value.  Its
 * faults are reported then, because "none fits" helps nobody.
 */
#include "core/schema/alternatives.h"

/* Compares quietly: only the result counts. */
static bool fits(struct kh_checking *c, const struct kh_node *node, const struct kh_check_pair *p)
{
	bool was_quiet = c->is_quiet, is_good;

	c->is_quiet = true;
	is_good = kh_schema_check_node(c, node, p->val, p->at, p->marks);
	c->is_quiet = was_quiet;
	return is_good;
}

/* The schema that says what NODE is, if NODE only refers to it. */
static const struct kh_node *meant_by(const struct kh_node *node)
{
	while (node->ref != NULL && node->types == 0)
		node = node->ref;
	return node;
}

static bool takes_type(const struct kh_node *node, unsigned types)
{
	node = meant_by(node);
	if (node->is_bool)
		return node->is_true;
	return node->types == 0 || (node->types & types) != 0;
}

/* Whether each member of the object that NODE fixes, by const or enum, has one of the values. */
static bool has_fixed_members(struct kh_checking *c, const struct kh_node *node, const struct kh_check_pair *p)
{
	bool was_quiet = c->is_quiet, is_good = true;

	node = meant_by(node);
	c->is_quiet = true;
	for (size_t i = 0; i < node->n_names && is_good; i++) {
		const struct kh_node_name *own = &node->names[i];
		if (own->schema == NULL || (own->schema->constant == NULL && own->schema->listed == NULL))
			continue;
		yyjson_val *val = yyjson_obj_getn(p->val, own->name.p, own->name.n);
		is_good = kh_report_spend(c, yyjson_obj_size(p->val)) &&
			  (val != NULL ? kh_schema_check_node(c, own->schema, val, p->at, (struct kh_marks){0, 0})
				       : !own->is_required);
	}
	c->is_quiet = was_quiet;
	return is_good;
}

/* The one alternative that was meant, or NULL if there are several or none. */
static const struct kh_node *probable(struct kh_checking *c, const struct kh_node_list *list,
				      const struct kh_check_pair *p)
{
	const struct kh_node *of_type = NULL, *of_members = NULL;
	size_t types = 0, members = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (!takes_type(list->at[i], p->types))
			continue;
		of_type = list->at[i];
		types++;
		if ((p->types & KH_NODE_OBJECT) == 0 || !has_fixed_members(c, list->at[i], p))
			continue;
		of_members = list->at[i];
		members++;
	}
	return types == 1 ? of_type : members == 1 ? of_members : NULL;
}

/* None of LIST fits. */
static bool report_none(struct kh_checking *c, const struct kh_node_list *list, const struct kh_check_pair *p)
{
	const struct kh_node *meant;
	unsigned types = 0;

	if (!kh_report_is_wanted(c))
		return false;
	meant = probable(c, list, p);
	if (meant != NULL)
		return kh_schema_check_node(c, meant, p->val, p->at, (struct kh_marks){0, 0});
	for (size_t i = 0; i < list->n; i++) {
		const struct kh_node *node = meant_by(list->at[i]);
		types |= node->types;
		if (node->types == 0 || (node->types & p->types) != 0)
			return kh_report(c, p->at, "no_alternative", "it fits none of the %zu alternatives", list->n);
	}
	struct kh_view wanted = kh_node_types_text(c->arena, types), found = kh_report_value(c->arena, p->val);
	return kh_report(c, p->at, "wrong_type", "expected %.*s, not %.*s", KH_FMT(wanted), KH_FMT(found));
}

static bool check_all(struct kh_checking *c, const struct kh_check_pair *p)
{
	bool is_good = true;

	for (size_t i = 0; i < p->node->all.n && (is_good || !c->is_quiet) && c->e == KH_OK; i++)
		is_good = kh_schema_check_node(c, p->node->all.at[i], p->val, p->at, p->marks) && is_good;
	return is_good;
}

static bool check_any(struct kh_checking *c, const struct kh_check_pair *p)
{
	size_t found = 0;

	/* If somebody asks what was looked at, all that fit count. */
	for (size_t i = 0; i < p->node->any.n && (found == 0 || p->marks.n > 0); i++)
		found += fits(c, p->node->any.at[i], p) ? 1 : 0;
	return p->node->any.n == 0 || found > 0 || report_none(c, &p->node->any, p);
}

static bool check_one(struct kh_checking *c, const struct kh_check_pair *p)
{
	size_t found = 0;

	for (size_t i = 0; i < p->node->one.n && found < 2; i++)
		found += fits(c, p->node->one.at[i], p) ? 1 : 0;
	if (p->node->one.n == 0 || found == 1)
		return true;
	if (found == 0)
		return report_none(c, &p->node->one, p);
	return kh_report(c, p->at, "several_alternatives",
			 "it fits more than one of the %zu alternatives, and must fit exactly one", p->node->one.n);
}

static bool check_not(struct kh_checking *c, const struct kh_check_pair *p)
{
	struct kh_check_pair apart = *p;

	if (p->node->no == NULL)
		return true;
	apart.marks = (struct kh_marks){0, 0};
	return !fits(c, p->node->no, &apart) || kh_report(c, p->at, "not_allowed", "it fits what `not` excludes");
}

static bool check_if(struct kh_checking *c, const struct kh_check_pair *p)
{
	if (p->node->when == NULL)
		return true;
	const struct kh_node *next = fits(c, p->node->when, p) ? p->node->then : p->node->otherwise;
	return next == NULL || kh_schema_check_node(c, next, p->val, p->at, p->marks);
}

bool kh_alternatives_check(struct kh_checking *c, const struct kh_check_pair *p)
{
	static bool (*const checks[])(struct kh_checking *, const struct kh_check_pair *) = {
		check_all, check_any, check_one, check_not, check_if};
	bool is_good = p->node->ref == NULL || kh_schema_check_node(c, p->node->ref, p->val, p->at, p->marks);

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (c->e != KH_OK || (!is_good && c->is_quiet))
			return false;
		is_good = checks[i](c, p) && is_good;
	}
	return is_good && c->e == KH_OK;
}
