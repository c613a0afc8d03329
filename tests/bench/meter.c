/* The benchmark's meter: a JACK client that plays notes and times the answers.
 *
 *   meter stream  plays numbered notes and prints one JSON line about their answers
 *   meter watch   plays one note every millisecond and prints a line whenever the answer changes
 *   meter plug    comes and goes as a MIDI device, over and over, and prints one JSON line
 *
 * Every time is CLOCK_MONOTONIC at the start of a process cycle, so nothing is finer than a period.
 * An answer is a note on or a CC on the note's channel, with its number and its velocity as value;
 * channel, number and velocity together tell which note it answers.
 */
#include <errno.h>
#include <getopt.h>
#include <jack/jack.h>
#include <jack/midiport.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NOTES = 128, VELOCITIES = 127, SLOTS = 16 * 128 * 128, RING = 4096 };
enum phase { HELLO, SETTLE, RUN, DRAIN, DONE };

static const char *name = "meter", *to, *from;
static int channels = 1, first_channel = 0, note = 0, warm_up = 100, offs, jitter = 1;
static long count = 1000, times = 100;
static double rate = 500, wait_s = 15, hold_s = 0.05, pause_s = 0.1, progress_s = 0;

static jack_client_t *client;
static jack_port_t *in, *out;
static int64_t period_ns;
static volatile sig_atomic_t stopping;
static _Atomic int phase = HELLO, xruns, gone;
static _Atomic long sent, received;

static int64_t *due, *sent_at, *received_at;
static int32_t owner[SLOTS]; /* slot -> the last event played with it, or -1 */
static long total, highest = -1, reordered, duplicates, unexpected;
static int64_t phase_began, run_began, last_hello, hello_answered, last_answer;

struct change { int64_t at; uint8_t number, value; };
static struct change ring[RING];
static _Atomic unsigned ring_head, ring_tail;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void nap(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

static void on_signal(int number) { (void)number; stopping = 1; }
static int on_xrun(void *arg) { (void)arg; xruns++; return 0; }
static void on_gone(void *arg) { (void)arg; gone = 1; stopping = 1; }

static void fail(const char *what) {
  fprintf(stderr, "meter: %s\n", what);
  if (client) jack_client_close(client);
  exit(2);
}

static int play(void *buffer, uint8_t status, uint8_t number, uint8_t value) {
  jack_midi_data_t *data = jack_midi_event_reserve(buffer, 0, 3);
  if (!data) return 0;
  data[0] = status, data[1] = number, data[2] = value;
  return 1;
}

/* Event i -> its message: notes first, then channels, then velocities. */
static void message(long i, uint8_t m[3]) {
  m[0] = 0x90 | (first_channel + i / NOTES % channels);
  m[1] = i % NOTES;
  m[2] = 1 + i / (NOTES * channels) % VELOCITIES;
}

static int slot(const uint8_t *m) { return (m[0] & 15) << 14 | m[1] << 7 | m[2]; }

static int is_answer(const jack_midi_event_t *event) {
  if (event->size != 3) return 0;
  int kind = event->buffer[0] & 0xF0, channel = event->buffer[0] & 15;
  return (kind == 0x90 || kind == 0xB0) && event->buffer[2] > 0 && channel >= first_channel &&
         channel < first_channel + channels;
}

static void count_answer(const uint8_t *m, int64_t now) {
  int32_t i = owner[slot(m)];
  if (i < 0) { unexpected++; return; }
  if (received_at[i]) { duplicates++; return; }
  received_at[i] = now;
  received++;
  if (i < highest) reordered++;
  else highest = i;
}

static void enter(int next, int64_t now) { phase_began = now; phase = next; }

static void read_stream(void *buffer, int64_t now) {
  jack_midi_event_t event;
  for (uint32_t k = 0; k < jack_midi_get_event_count(buffer); k++) {
    if (jack_midi_event_get(&event, buffer, k) || !is_answer(&event)) continue;
    last_answer = now;
    if (phase == HELLO) { hello_answered = now; enter(SETTLE, now); }
    else if (phase != SETTLE) count_answer(event.buffer, now);
  }
}

static void schedule(void) {
  uint64_t seed = 0x9E3779B97F4A7C15ull; /* the same stream in every run */
  double at = 0, step = 1e9 / rate;
  for (long i = 0; i < total; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    due[i] = (int64_t)at;
    at += jitter ? step * (0.5 + (double)(seed >> 11) / (double)(1ull << 53)) : step;
  }
}

static void write_stream(void *buffer, int64_t now) {
  uint8_t m[3];
  if (phase == HELLO && now - last_hello > 5000000) {
    message(0, m);
    play(buffer, m[0], m[1], m[2]);
    last_hello = now;
  }
  if (phase == SETTLE && now - last_answer > 100000000) { run_began = now; enter(RUN, now); }
  if (phase != RUN) return;
  if (stopping) { enter(DRAIN, now); return; }
  for (long i = sent; i < total && run_began + due[i] <= now; i = ++sent) {
    message(i, m);
    if (!play(buffer, m[0], m[1], m[2])) return; /* full: the next cycle goes on */
    if (offs) play(buffer, m[0] - 0x10, m[1], 0);
    sent_at[i] = now;
    owner[slot(m)] = i;
  }
  if (sent == total) enter(DRAIN, now);
}

static int stream_cycle(jack_nframes_t frames, void *arg) {
  (void)arg;
  int64_t now = now_ns();
  void *input = jack_port_get_buffer(in, frames), *output = jack_port_get_buffer(out, frames);
  jack_midi_clear_buffer(output);
  read_stream(input, now);
  write_stream(output, now);
  int64_t since = now - (last_answer > phase_began ? last_answer : phase_began);
  if (phase == DRAIN && (received == sent || since > 1000000000)) enter(DONE, now);
  return 0;
}

static int watch_cycle(jack_nframes_t frames, void *arg) {
  (void)arg;
  static int last_number = -1, last_value = -1;
  int64_t now = now_ns();
  jack_midi_event_t event;
  void *input = jack_port_get_buffer(in, frames), *output = jack_port_get_buffer(out, frames);
  jack_midi_clear_buffer(output);
  for (uint32_t k = 0; k < jack_midi_get_event_count(input); k++) {
    if (jack_midi_event_get(&event, input, k) || !is_answer(&event)) continue;
    if (event.buffer[1] == last_number && event.buffer[2] == last_value) continue;
    last_number = event.buffer[1], last_value = event.buffer[2];
    ring[ring_head % RING] = (struct change){now, last_number, last_value};
    ring_head++;
  }
  if (now - last_hello >= 1000000) {
    last_hello = now;
    play(output, 0x90 | first_channel, note, 100);
    play(output, 0x80 | first_channel, note, 0);
  }
  return 0;
}

static int quiet_cycle(jack_nframes_t frames, void *arg) {
  (void)arg;
  jack_midi_clear_buffer(jack_port_get_buffer(out, frames));
  return 0;
}

static void open_client(const char *as, JackProcessCallback cycle) {
  jack_status_t status;
  client = jack_client_open(as, JackNoStartServer, &status);
  if (!client) fail("no JACK server");
  jack_set_process_callback(client, cycle, NULL);
  jack_set_xrun_callback(client, on_xrun, NULL);
  jack_on_shutdown(client, on_gone, NULL);
  in = jack_port_register(client, "in", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
  out = jack_port_register(client, "out", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
  if (!in || !out) fail("no ports");
  period_ns = 1000000000LL * jack_get_buffer_size(client) / jack_get_sample_rate(client);
  if (jack_activate(client)) fail("cannot activate");
}

/* Connect to the first port of another client that the pattern fits. */
static int connect_one(const char *pattern, unsigned long flags) {
  const char **found = jack_get_ports(client, pattern, JACK_DEFAULT_MIDI_TYPE, flags);
  const char *mine = jack_port_name(flags == JackPortIsInput ? out : in);
  int problem = ENOENT;
  if (found)
    problem = flags == JackPortIsInput ? jack_connect(client, mine, found[0])
                                       : jack_connect(client, found[0], mine);
  if (found) jack_free(found);
  return problem == 0 || problem == EEXIST;
}

/* `--to` and `--from` are patterns; left out, the other side is expected to connect to us. */
static void connect_all(void) {
  int64_t until = now_ns() + (int64_t)(wait_s * 1e9);
  int to_done = !to, from_done = !from;
  if (to && !strcmp(to, "self")) {
    jack_connect(client, jack_port_name(out), jack_port_name(in));
    return;
  }
  while (!to_done || !from_done) {
    if (!to_done) to_done = connect_one(to, JackPortIsInput);
    if (!from_done) from_done = connect_one(from, JackPortIsOutput);
    if (stopping || now_ns() > until) fail("the ports did not appear");
    nap(0.002);
  }
}

static int ascending(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static double at_share(const int64_t *sorted, long n, double share) {
  return n ? sorted[(long)(share * (n - 1) + 0.5)] / 1e6 : -1;
}

/* A note that a stalled graph let out late is timed from when it should have left. */
static int64_t latency(long i) {
  int64_t ideal = run_began + due[i] + period_ns;
  return received_at[i] - (sent_at[i] < ideal ? sent_at[i] : ideal);
}

static void print_stream(void) {
  long n = 0, measured = sent - warm_up, lost = 0;
  int64_t *all = calloc(total + 1, sizeof *all), stall = 0, late = 0, previous = -1;
  for (long i = warm_up; i < sent; i++) {
    int64_t behind = sent_at[i] - run_began - due[i] - period_ns;
    if (behind > late) late = behind;
    if (!received_at[i]) { lost++; continue; }
    if (previous >= 0) {
      int64_t gap = received_at[i] - received_at[previous] - (due[i] - due[previous]);
      if (gap > stall) stall = gap;
    }
    previous = i;
    all[n++] = latency(i);
  }
  qsort(all, n, sizeof *all, ascending);
  double span = sent > 1 ? (sent_at[sent - 1] - sent_at[0]) / 1e9 : 0;
  printf("{\"sent\":%ld,\"answered\":%ld,\"lost\":%ld,\"reordered\":%ld,\"duplicates\":%ld,"
         "\"unexpected\":%ld,\"p50_ms\":%.4f,\"p90_ms\":%.4f,\"p99_ms\":%.4f,\"p999_ms\":%.4f,"
         "\"max_ms\":%.4f,\"stall_ms\":%.4f,\"late_ms\":%.4f,\"rate\":%.1f,\"xruns\":%d,"
         "\"period_ms\":%.4f,\"first_answer_ns\":%lld,\"server_gone\":%s}\n",
         measured, n, lost, reordered, duplicates, unexpected, at_share(all, n, .5),
         at_share(all, n, .9), at_share(all, n, .99), at_share(all, n, .999), at_share(all, n, 1),
         stall / 1e6, late / 1e6, span > 0 ? (sent - 1) / span : 0, xruns, period_ns / 1e6,
         (long long)hello_answered, gone ? "true" : "false");
  free(all);
}

static int run_stream(void) {
  total = count + warm_up;
  due = malloc(total * sizeof *due);
  sent_at = malloc(total * sizeof *sent_at);
  received_at = malloc(total * sizeof *received_at);
  memset(sent_at, 0, total * sizeof *sent_at);
  memset(received_at, 0, total * sizeof *received_at);
  memset(owner, -1, sizeof owner);
  schedule();
  open_client(name, stream_cycle);
  connect_all();
  int64_t hello_until = now_ns() + (int64_t)(wait_s * 1e9), said = now_ns();
  while (phase != DONE && !gone) {
    if (phase == HELLO && (stopping || now_ns() > hello_until)) fail("nothing answered");
    if (progress_s > 0 && now_ns() - said > (int64_t)(progress_s * 1e9)) {
      said = now_ns();
      printf("{\"progress\":true,\"sent\":%ld,\"received\":%ld}\n", (long)sent, (long)received);
      fflush(stdout);
    }
    nap(0.002);
  }
  if (!gone) jack_client_close(client);
  print_stream();
  return 0;
}

static int run_watch(void) {
  channels = 1;
  open_client(name, watch_cycle);
  connect_all();
  while (!stopping) {
    for (; ring_tail != ring_head; ring_tail++) {
      struct change c = ring[ring_tail % RING];
      printf("{\"at_ns\":%lld,\"number\":%d,\"value\":%d}\n", (long long)c.at, c.number, c.value);
      fflush(stdout);
    }
    nap(0.001);
  }
  if (!gone) jack_client_close(client);
  return 0;
}

static int run_plug(void) {
  int64_t *opened = calloc(times + 1, sizeof *opened);
  long done = 0, seen = 0;
  for (; done < times && !stopping; done++) {
    open_client(name, quiet_cycle);
    int64_t began = now_ns(), until = began + (int64_t)(wait_s * 1e9);
    while (!jack_port_connected(out) && now_ns() < until && !stopping) nap(0.001);
    if (jack_port_connected(out)) opened[seen++] = now_ns() - began;
    nap(hold_s);
    if (gone) break;
    jack_client_close(client);
    nap(pause_s);
  }
  qsort(opened, seen, sizeof *opened, ascending);
  printf("{\"plugged\":%ld,\"opened\":%ld,\"opened_p50_ms\":%.1f,\"opened_max_ms\":%.1f}\n", done,
         seen, at_share(opened, seen, .5), at_share(opened, seen, 1));
  return gone ? 2 : 0;
}

static const struct option options[] = {
    {"name", 1, 0, 'N'}, {"to", 1, 0, 'd'}, {"from", 1, 0, 's'}, {"count", 1, 0, 'n'},
    {"rate", 1, 0, 'r'}, {"channels", 1, 0, 'c'}, {"first-channel", 1, 0, 'f'},
    {"note", 1, 0, 'k'}, {"warm-up", 1, 0, 'w'}, {"wait", 1, 0, 'T'}, {"offs", 0, 0, 'o'},
    {"steady", 0, 0, 'S'}, {"times", 1, 0, 't'}, {"hold", 1, 0, 'h'}, {"pause", 1, 0, 'p'},
    {"progress", 1, 0, 'P'}, {0, 0, 0, 0}};

static void read_options(int argc, char **argv) {
  int letter;
  while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) switch (letter) {
      case 'N': name = optarg; break;
      case 'd': to = optarg; break;
      case 's': from = optarg; break;
      case 'n': count = atol(optarg); break;
      case 'r': rate = atof(optarg); break;
      case 'c': channels = atoi(optarg); break;
      case 'f': first_channel = atoi(optarg) - 1; break;
      case 'k': note = atoi(optarg); break;
      case 'w': warm_up = atoi(optarg); break;
      case 'T': wait_s = atof(optarg); break;
      case 'o': offs = 1; break;
      case 'S': jitter = 0; break;
      case 't': times = atol(optarg); break;
      case 'h': hold_s = atof(optarg); break;
      case 'p': pause_s = atof(optarg); break;
      case 'P': progress_s = atof(optarg); break;
      default: exit(2);
    }
}

int main(int argc, char **argv) {
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  read_options(argc, argv);
  const char *mode = optind < argc ? argv[optind] : "";
  if (!strcmp(mode, "stream")) return run_stream();
  if (!strcmp(mode, "watch")) return run_watch();
  if (!strcmp(mode, "plug")) return run_plug();
  fprintf(stderr, "meter: say stream, watch or plug\n");
  return 2;
}
