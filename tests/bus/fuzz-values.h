/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdint.h>
#include <systemd/sd-bus.h>

/* Random values of any D-Bus type, from a seed. */

void fuzz_seed(uint64_t seed);

/* A number below n. */
unsigned fuzz_below(unsigned n);

/* Keep a word that strings are often made of: names of modes, options and so on. */
void fuzz_add_word(const char *word);
const char *fuzz_string(void);

/* Before the first value of each message. */
void fuzz_new_message(void);

/* Append a value of each type of the signature, or of a signature drawn here. */
int fuzz_append(sd_bus_message *message, const char *signature);
int fuzz_append_anything(sd_bus_message *message);
