/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <linux/types.h>
#include <stdbool.h>

/*
 * An ordered queue of nodes that live in their owners: a treap, so every step is O(log n) and its
 * form depends on nothing but what was done to it. Ordered by vtime; those of the same vtime by
 * arrival, and a node put at the head comes before all of its vtime.
 */
struct queue_node {
	struct queue_node *parent, *left, *right;
	__u64 vtime;
	__s64 order;
	__u32 priority;
};

struct queue {
	struct queue_node *root;
	__s64 last, first; /* order of the newest at the tail and at the head */
	__u32 nr;
};

void queue_insert(struct queue *queue, struct queue_node *node, __u64 vtime, bool head);
void queue_remove(struct queue *queue, struct queue_node *node);
struct queue_node *queue_first(const struct queue *queue); /* or NULL */
struct queue_node *queue_next(struct queue_node *node); /* or NULL */
