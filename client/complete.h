/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/*
 * What a shell may offer for the last of these words, which follow "donorctl" on its command line:
 * one a line, with a tab and a text behind it where there is one to say. The shell leaves out what
 * does not fit what is typed already. ":command" stands for any command of the system.
 *
 * Everything comes from the tables of commands and options and from the words that the help shows,
 * so a new command, option or MODE has its completion in all shells.
 */
int complete(int nr, char **words);
