/* SPDX-License-Identifier: GPL-2.0-only */
#include "client/terminal.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* ECMA-48 and what xterm made usual: another screen, no cursor, no line wrap; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static struct termios before;
static volatile sig_atomic_t is_entered;

bool terminal_is_fit(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && term && strcmp(term, "dumb");
}

static void put(const char *sequence)
{
	ssize_t n = write(STDOUT_FILENO, sequence, strlen(sequence));

	(void)n; /* a terminal that is gone needs nothing */
}

/* Also called by on_fault(): only what may be called there. */
void terminal_leave(void)
{
	if (!is_entered)
		return;
	is_entered = 0;
	put(LEAVE);
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void on_fault(int number)
{
	terminal_leave();
	raise(number); /* the handler is reset: now it does what it does */
}

static void watch_faults(void)
{
	static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = (int)SA_RESETHAND };

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigaction(faults[i], &action, NULL);
}

void terminal_enter(void)
{
	struct termios keys;

	if (is_entered || tcgetattr(STDIN_FILENO, &before) < 0)
		return;
	is_entered = 1;
	watch_faults();
	(void)atexit(terminal_leave);
	keys = before;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	(void)tcsetattr(STDIN_FILENO, TCSADRAIN, &keys);
	put(ENTER);
}

void terminal_size(unsigned int *ret_columns, unsigned int *ret_rows)
{
	struct winsize size = { 0 };

	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*ret_columns = size.ws_col ? size.ws_col : 80;
	*ret_rows = size.ws_row ? size.ws_row : 24;
}
