/* SPDX-License-Identifier: GPL-2.0-only */

#include "tests/sim/heap.h"
#include "tests/sim/queue.h"
#include "tests/sim/random.h"
#include "tests/sim/test-run.h"

/* The two orders on which all else stands: of events in time, of tasks in a queue. */

enum {
	NR_NODES = 500,
};

struct item {
	struct queue_node node; /* first */
	__u64 vtime;
	__s64 rank; /* among those of its vtime */
	bool queued;
};

static bool item_before(const struct item *a, const struct item *b)
{
	return a->vtime != b->vtime ? a->vtime < b->vtime : a->rank < b->rank;
}

/* Walk through: in order, and all of them. */
static void check_walk(const struct queue *queue, const struct item *items)
{
	struct item *last = NULL, *item;
	__u32 nr = 0, nr_items = 0;

	for (item = (void *)queue_first(queue); item; item = (void *)queue_next(&item->node)) {
		assert_true(item->queued);
		assert_true(!last || item_before(last, item));
		last = item;
		nr++;
	}
	for (unsigned i = 0; i < NR_NODES; i++)
		nr_items += items[i].queued;
	assert_int_equal(nr, nr_items);
	assert_int_equal(nr, queue->nr);
}

static void queue_keeps_its_order(void **state)
{
	static struct item items[NR_NODES];
	struct queue queue = {};
	struct random random;
	struct item *item;
	__s64 newest = 0;
	bool head;

	random_seed(&random, 1, 0);
	for (unsigned i = 0; i < 20000; i++) {
		item = &items[random_next(&random) % NR_NODES];
		if (item->queued) {
			queue_remove(&queue, &item->node);
		} else {
			head = random_next(&random) % 4 == 0;
			item->vtime = random_next(&random) % 50;
			item->rank = head ? -++newest : ++newest;
			queue_insert(&queue, &item->node, item->vtime, head);
		}
		item->queued = !item->queued;
		if (i % 50 == 0)
			check_walk(&queue, items);
	}
}

static void vtime_may_wrap(void **state)
{
	struct queue queue = {};
	struct item a = {}, b = {};

	queue_insert(&queue, &a.node, 5, false);
	queue_insert(&queue, &b.node, -5ULL, false);
	assert_ptr_equal(queue_first(&queue), &b.node);
}

/* A queue that were a list in disguise would be found out by its depth. */
static void queue_is_no_list(void **state)
{
	static struct item items[NR_NODES];
	__u32 depth, deepest = 0;
	struct queue queue = {};

	for (unsigned i = 0; i < NR_NODES; i++)
		queue_insert(&queue, &items[i].node, 0, false);
	for (unsigned i = 0; i < NR_NODES; i++) {
		depth = 0;
		for (struct queue_node *node = &items[i].node; node; node = node->parent)
			depth++;
		deepest = depth > deepest ? depth : deepest;
	}
	assert_in_range(deepest, 9, 40);
}

static void heap_gives_the_earliest_first(void **state)
{
	struct heap heap = {};
	struct random random;
	struct work last = {}, work;

	random_seed(&random, 2, 0);
	for (__u64 seq = 1; seq <= 5000; seq++) {
		work = (struct work){ .time_ns = random_next(&random) % 1000, .seq = seq };
		assert_int_equal(heap_push(&heap, &work), 0);
	}
	while (heap.nr) {
		work = heap_pop(&heap);
		assert_true(work.time_ns > last.time_ns ||
			    (work.time_ns == last.time_ns && work.seq > last.seq));
		last = work;
	}
	assert_null(heap_first(&heap));
	heap_free(&heap);
}

static void streams_differ(void **state)
{
	struct random a, b, c;

	random_seed(&a, 1, 0);
	random_seed(&b, 1, 1);
	random_seed(&c, 1, 0);
	assert_true(random_next(&a) != random_next(&b));
	random_next(&c);
	assert_true(random_next(&a) == random_next(&c));
}

static __s32 select_prev(struct sim *sim, struct sim_task *p, __s32 prev, __u64 wake_flags)
{
	return prev;
}

static __u64 to_head;

static void to_local(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert(sim, p, SIM_DSQ_LOCAL, 0, to_head);
}

/* Of three tasks that arrive before the CPU has woken. */
static __s32 first_to_run(const struct sim_policy *policy)
{
	_cleanup_(test_endp) struct test_run *run = test_run_one_cpu(policy);

	for (unsigned i = 0; i < 3; i++)
		test_spawn(run->sim, "a", TEST_PROGRAM(1, RUN_MS(10)));
	sim_run(run->sim, 5ULL * MS);
	return task_view(kernel_cpu_curr(run->sim, 0))->pid;
}

static void by_negative_pid(struct sim *sim, struct sim_task *p, __u64 enq_flags)
{
	kernel_insert_vtime(sim, p, TEST_DSQ, 0, 100 - task_view(p)->pid, 0);
}

static void queues_of_a_policy(void **state)
{
	static const struct sim_policy local = { FIFO_POLICY, .select_cpu = select_prev,
						 .enqueue = to_local };
	static const struct sim_policy by_vtime = { FIFO_POLICY, .select_cpu = select_prev,
						    .enqueue = by_negative_pid };
	static const struct sim_policy fifo = { FIFO_POLICY, .select_cpu = select_prev };

	assert_int_equal(first_to_run(&fifo), 1);
	to_head = 0;
	assert_int_equal(first_to_run(&local), 1);
	to_head = SIM_ENQ_HEAD;
	assert_int_equal(first_to_run(&local), 3);
	assert_int_equal(first_to_run(&by_vtime), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_keeps_its_order),
		cmocka_unit_test(vtime_may_wrap),
		cmocka_unit_test(queue_is_no_list),
		cmocka_unit_test(heap_gives_the_earliest_first),
		cmocka_unit_test(streams_differ),
		cmocka_unit_test(queues_of_a_policy),
	};

	return cmocka_run_group_tests_name("kernel queue", tests, NULL, NULL);
}
