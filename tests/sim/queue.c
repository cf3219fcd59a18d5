/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/queue.h"

#include <stddef.h>

static bool before(const struct queue_node *a, const struct queue_node *b)
{
	if (a->vtime != b->vtime)
		return (__s64)(a->vtime - b->vtime) < 0; /* as the kernel: it may wrap */
	return a->order < b->order;
}

/* Put `with` where `node` hangs. */
static void replace(struct queue *queue, struct queue_node *node, struct queue_node *with)
{
	if (!node->parent)
		queue->root = with;
	else if (node->parent->left == node)
		node->parent->left = with;
	else
		node->parent->right = with;
	if (with)
		with->parent = node->parent;
}

/* The node changes places with its parent; the order stays. */
static void rise(struct queue *queue, struct queue_node *node)
{
	struct queue_node *parent = node->parent;
	bool left = parent->left == node;
	struct queue_node *between = left ? node->right : node->left;

	replace(queue, parent, node);
	if (left) {
		parent->left = between;
		node->right = parent;
	} else {
		parent->right = between;
		node->left = parent;
	}
	if (between)
		between->parent = parent;
	parent->parent = node;
}

/* Scrambled order of arrival: as good as random, and the same in each run. */
static __u32 priority_of(__s64 order)
{
	return (__u32)(((__u64)order * 0x9e3779b97f4a7c15) >> 32);
}

void queue_insert(struct queue *queue, struct queue_node *node, __u64 vtime, bool head)
{
	struct queue_node **link = &queue->root, *parent = NULL;

	*node = (struct queue_node){
		.vtime = vtime,
		.order = head ? --queue->first : ++queue->last,
	};
	node->priority = priority_of(node->order);
	while (*link) {
		parent = *link;
		link = before(node, parent) ? &parent->left : &parent->right;
	}
	node->parent = parent;
	*link = node;
	while (node->parent && node->parent->priority < node->priority)
		rise(queue, node);
	queue->nr++;
}

void queue_remove(struct queue *queue, struct queue_node *node)
{
	while (node->left && node->right)
		rise(queue, node->left->priority > node->right->priority ? node->left : node->right);
	replace(queue, node, node->left ? node->left : node->right);
	queue->nr--;
}

static struct queue_node *leftmost(struct queue_node *node)
{
	while (node && node->left)
		node = node->left;
	return node;
}

struct queue_node *queue_first(const struct queue *queue)
{
	return leftmost(queue->root);
}

struct queue_node *queue_next(struct queue_node *node)
{
	if (node->right)
		return leftmost(node->right);
	while (node->parent && node->parent->right == node)
		node = node->parent;
	return node->parent;
}
