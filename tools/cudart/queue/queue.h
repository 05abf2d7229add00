/*
 * Kernels that wait for the host while they run, and what is submitted behind them.
 *
 * Operations are done in the thread that submits them, one after the other. A kernel with a loop
 * that may wait for memory which others write is played by a thread of the runtime's own instead, a
 * player. The submitting thread waits until the kernel has ended, or until each of its CTAs waits
 * for memory that none of them writes; only then does the program go on beside it. As long as
 * anything is left to play, what is submitted joins the queue: it is played when nothing before it
 * is left that it is ordered behind, so that operations of other streams pass a kernel that waits.
 *
 * One thread at a time does anything with the device: the player that has the turn, or a thread of
 * the program that holds the lock, which is not to be had while a player has the turn. A player
 * keeps its turn until it waits. The program is let in when the queue is settled: all players wait,
 * and have looked at memory since anything was done that might have helped them. What is done, and
 * in which order, therefore depends on time only where the program itself writes what kernels wait
 * for. A queue that has executed very much without being settled lets the program in all the same.
 *
 * The lock is held unless it says otherwise.
 */
#ifndef CUDART_QUEUE_H
#define CUDART_QUEUE_H

#include "op.h"

/* Must the operation be queued: is there something left before it, or may it wait for the host? */
bool queue_takes(const struct op *op);
/* Is it a graph with functions of the program, during which the lock is let go? */
bool queue_lets_go_within(const struct op *op);
/* Takes a copy of it, and lets the queue settle. enum cu_error: of having it queued, or of what has
 * been played so far and went wrong. */
int queue_add(const struct stream *s, const struct op *op);
/* The stream waits for an event: what it is given from now on is ordered behind the event's last
 * record, if that is still to come. */
int queue_add_wait(const struct stream *s, struct event *e);

/* Is something left of the stream (of the legacy stream: of all that block, too); is the last
 * record of an event? NULL: anything at all? */
bool queue_holds(const struct stream *s);
bool queue_holds_event(const struct event *e);
/* Waits until there is not. enum cu_error: what went wrong meanwhile, the fault included. */
int queue_wait(const struct stream *s);
int queue_wait_event(const struct event *e);
/* rt_enter for a call that takes away what operations use: when none is left. */
int queue_enter(void);
/* The end of a call that waits for what it had queued: its status, or what went wrong until then.
 * The lock is not held. */
int queue_finish(int status);

/* Calls fn with handle when nothing is left that was submitted so far; at once if there is nothing.
 * fn must not use the queue. enum cu_error: of having it kept. */
int queue_afterwards(void (*fn)(uint64_t handle), uint64_t handle);

/* The event goes away. */
void queue_forget_event(const struct event *e);
/* What still waits for the host when the program ends or resets the device is stopped; what can run
 * without it runs before. */
void queue_end(void);
/* In a forked child: there are no players. */
void queue_forget(void);

/* For a launch under way, the turn held: whether it was to be recorded when it was submitted, and
 * how it lets the program go on. */
bool queue_recording(void);
void queue_beside(struct wcp_launch *launch);

#endif
