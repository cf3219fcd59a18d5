/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/heap.h"

#include <errno.h>
#include <stdlib.h>

static bool before(const struct work *a, const struct work *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->seq < b->seq);
}

static int grow(struct heap *heap)
{
	__u32 size = heap->size ? 2 * heap->size : 1024;
	struct work *works = reallocarray(heap->works, size, sizeof(*works));

	if (!works)
		return -ENOMEM;
	heap->works = works;
	heap->size = size;
	return 0;
}

int heap_push(struct heap *heap, const struct work *work)
{
	__u32 i = heap->nr;

	if (heap->nr == heap->size && grow(heap) < 0)
		return -ENOMEM;
	heap->nr++;
	for (; i && before(work, &heap->works[(i - 1) / 2]); i = (i - 1) / 2)
		heap->works[i] = heap->works[(i - 1) / 2];
	heap->works[i] = *work;
	return 0;
}

const struct work *heap_first(const struct heap *heap)
{
	return heap->nr ? &heap->works[0] : NULL;
}

static __u32 earlier_child(const struct heap *heap, __u32 i)
{
	__u32 child = 2 * i + 1;

	if (child + 1 < heap->nr && before(&heap->works[child + 1], &heap->works[child]))
		child++;
	return child;
}

struct work heap_pop(struct heap *heap)
{
	struct work first = heap->works[0], last = heap->works[--heap->nr];
	__u32 i = 0, child;

	for (child = earlier_child(heap, i); child < heap->nr && before(&heap->works[child], &last);
	     child = earlier_child(heap, i)) {
		heap->works[i] = heap->works[child];
		i = child;
	}
	heap->works[i] = last;
	return first;
}

void heap_free(struct heap *heap)
{
	free(heap->works);
	*heap = (struct heap){};
}
