/* What the parts of the queue share: its items, its players, and whose turn it is. */
#ifndef CUDART_QUEUE_PARTS_H
#define CUDART_QUEUE_PARTS_H

#include "queue/queue.h"

struct queued {
	struct queued *next;
	uint64_t number;  /* from 1, in the order of submission */
	struct op op;	  /* its own */
	struct stream as; /* id and flags */
	uint64_t behind;  /* number of the record that a wait is for; 0: none is left */
	uint64_t event;	  /* that a wait is for, as the recorder knows it */
	void *bytes;	  /* that a copy from the program's memory takes instead; NULL: none */
	struct rt_call call;
	bool recording, plays;
};

/* What is done when the items up to a number are gone. */
struct afterwards {
	struct afterwards *next;
	uint64_t number;
	void (*fn)(uint64_t handle);
	uint64_t handle;
};

enum player_state {
	PLAYER_IDLE,
	PLAYER_RUNS,
	PLAYER_WAITS, /* for memory that others write */
	PLAYER_AWAY,  /* in a function of the program */
};

struct player {
	struct player *next;
	enum player_state state;
	struct queued *item;
	uint64_t seen;	   /* of what was done, when it last looked in vain */
	unsigned pause_us; /* until it looks again by itself */
	unsigned vain;	   /* looks in a row */
	bool doubt;	   /* it was hopeless before the last of them */
	double warps;	   /* of the launch under way */
	bool stop;
};

struct queue_state {
	struct queued *first, *last;
	struct afterwards *after; /* by number */
	uint64_t number, done;	  /* submitted; what might help those that wait */
	uint64_t removed;	  /* items */
	struct player *player;	  /* all of them */
	struct player *turn;
	unsigned callers; /* threads of the program that want the lock */
	unsigned blocked; /* and that wait for the queue, and have looked since an item went */
	double spent;	  /* instructions of a warp since it was settled */
	bool loose;	  /* that was too much */
	int status;	  /* of what failed without a fault, until somebody is told */
	bool has_clock;
	pthread_cond_t host, players;
};
extern struct queue_state queue;
extern _Thread_local struct player *this_player; /* NULL: a thread of the program's */

/* ---- item.c ------------------------------------------------------------------------------- */

/* The first that nothing before it holds up, and that is not played yet. */
struct queued *item_ready(void);
bool item_is_left(uint64_t number);
void item_remove(struct queued *q);
void item_free(struct queued *q);

/* ---- turn.c ------------------------------------------------------------------------------- */

bool player_may_look(const struct player *p);
bool player_is_away(const struct player *p);
/* The first of those after p, around; NULL: there is none. */
struct player *player_next(struct player *p, bool (*is)(const struct player *));

/* The mutex alone. */
void turn_lock(void);
void turn_unlock(void);
/* Nobody has the turn: who has it next? */
void turn_pass(struct player *last);
/* A thread of the program waits until it may have the lock. */
void turn_await_lock(void);
/* A player waits for its turn, and gives it away. */
void turn_await(struct player *p);
void turn_give(struct player *p);
/* Nothing that is not under way is played any more, and what is under way ends. */
void turn_drop_all(void);
/* Something failed without a fault. */
void queue_fail(int status);

#endif
