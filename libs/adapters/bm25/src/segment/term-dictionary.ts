import { randomInt } from 'node:crypto';

/** Random per process, so that an attacker cannot prepare words that collide. Nothing stored depends on it. */
const SEED = randomInt(2 ** 32);

/** Terms per step, which takes some tenths of a millisecond. */
const STEP = 2048;

/**
 * Terms and their numbers 0, 1, 2, … in the order in which they were added. Stored in typed arrays (concatenated UTF-16 units, a hash
 * table with open addressing), because JS Maps for hundreds of loaded partitions would take hundreds of megabytes.
 */
export class TermDictionary {
  #units: Uint16Array;
  /** Where each term starts, plus where the last one ends. */
  #starts: Uint32Array;
  #hashes: Uint32Array;
  /** The number of a term + 1; 0 where free. The length is a power of two; at most 2/3 of the slots are used. */
  #slots: Uint32Array;
  #size = 0;

  /** `room`: the number of terms for which there is room at first. */
  private constructor(units: Uint16Array, starts: Uint32Array, size: number, room = size) {
    this.#units = units;
    this.#starts = starts;
    this.#size = size;
    this.#hashes = new Uint32Array(Math.max(8, room));
    this.#slots = new Uint32Array(slotsFor(room));
    for (let id = 0; id < size; id++) {
      this.#hashes[id] = hashOfUnits(units, starts[id] as number, starts[id + 1] as number);
      this.#claimSlot(id);
    }
  }

  static empty(): TermDictionary {
    return new TermDictionary(new Uint16Array(64), new Uint32Array(9), 0);
  }

  /** Restores a dictionary from the results of `units()` and `starts()`. */
  static restore(units: Uint16Array, starts: Uint32Array): TermDictionary {
    return new TermDictionary(units, starts, starts.length - 1);
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#units.byteLength + this.#starts.byteLength + this.#hashes.byteLength + this.#slots.byteLength;
  }

  units(): Uint16Array {
    return this.#units.subarray(0, this.#starts[this.#size]);
  }

  starts(): Uint32Array {
    return this.#starts.subarray(0, this.#size + 1);
  }

  /** Returns the number of the term, or -1. */
  find(term: string): number {
    return this.#find(term, hashOf(term));
  }

  /** Returns the number of the term; adds the term when it is new. */
  intern(term: string): number {
    const hash = hashOf(term);
    const known = this.#find(term, hash);
    return known >= 0 ? known : this.#add(term, hash);
  }

  /** Like `intern`, for the UTF-8 bytes of a term. An ASCII term, as nearly all are, becomes a string only when it is new. */
  internBytes(bytes: Buffer, start: number, end: number): number {
    let hash = SEED;
    for (let i = start; i < end; i++) {
      const unit = bytes[i] as number;
      if (unit > 0x7f) return this.intern(bytes.toString('utf8', start, end));
      hash = mix(hash, unit);
    }
    hash = finished(hash);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] as number) - 1;
      if (id < 0) return this.#add(bytes.toString('latin1', start, end), hash);
      if (this.#hashes[id] === hash && this.#isBytes(id, bytes, start, end)) return id;
    }
  }

  /** Returns a dictionary of these terms only, numbered in the given order. In small steps, between which no term may be added. */
  *onlySteps(ids: Uint32Array): Generator<void, TermDictionary> {
    const kept = new TermDictionary(new Uint16Array(this.#unitsOf(ids)), new Uint32Array(ids.length + 1), 0, ids.length);
    for (let from = 0; from < ids.length; from += STEP) {
      kept.#copy(this, ids.subarray(from, from + STEP));
      yield;
    }
    return kept;
  }

  #unitsOf(ids: Uint32Array): number {
    let length = 0;
    for (const id of ids) length += (this.#starts[id + 1] as number) - (this.#starts[id] as number);
    return length;
  }

  /** Adds terms of another dictionary. There must be room for them. */
  #copy(other: TermDictionary, ids: Uint32Array): void {
    for (const from of ids) {
      const id = this.#size++;
      const term = other.#units.subarray(other.#starts[from] as number, other.#starts[from + 1] as number);
      const start = this.#starts[id] as number;
      this.#units.set(term, start);
      this.#starts[id + 1] = start + term.length;
      this.#hashes[id] = other.#hashes[from] as number;
      this.#claimSlot(id);
    }
  }

  #find(term: string, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = (this.#slots[slot] as number) - 1;
      if (id < 0 || (this.#hashes[id] === hash && this.#is(id, term))) return id;
    }
  }

  #is(id: number, term: string): boolean {
    const start = this.#starts[id] as number;
    if ((this.#starts[id + 1] as number) - start !== term.length) return false;
    for (let i = 0; i < term.length; i++) if (this.#units[start + i] !== term.charCodeAt(i)) return false;
    return true;
  }

  #isBytes(id: number, bytes: Buffer, start: number, end: number): boolean {
    const from = this.#starts[id] as number;
    if ((this.#starts[id + 1] as number) - from !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#units[from + i - start] !== bytes[i]) return false;
    return true;
  }

  #add(term: string, hash: number): number {
    const id = this.#size;
    const start = this.#starts[id] as number;
    const end = start + term.length;
    if (end > this.#units.length) this.#units = grown(this.#units, end, (length) => new Uint16Array(length));
    if (id + 2 > this.#starts.length) this.#starts = grown(this.#starts, id + 2, (length) => new Uint32Array(length));
    if (id + 1 > this.#hashes.length) this.#hashes = grown(this.#hashes, id + 1, (length) => new Uint32Array(length));
    for (let i = 0; i < term.length; i++) this.#units[start + i] = term.charCodeAt(i);
    this.#starts[id + 1] = end;
    this.#hashes[id] = hash;
    this.#size++;
    if (this.#size * 3 > this.#slots.length * 2) {
      this.#slots = new Uint32Array(slotsFor(this.#size));
      for (let known = 0; known < this.#size; known++) this.#claimSlot(known);
    } else this.#claimSlot(id);
    return id;
  }

  #claimSlot(id: number): void {
    const mask = this.#slots.length - 1;
    let slot = (this.#hashes[id] as number) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = id + 1;
  }
}

const slotsFor = (size: number): number => {
  let slots = 16;
  while (slots < size * 2) slots *= 2;
  return slots;
};

const grown = <T extends Uint16Array | Uint32Array>(from: T, min: number, make: (length: number) => T): T => {
  const larger = make(Math.max(min, from.length * 2));
  larger.set(from);
  return larger;
};

const hashOf = (term: string): number => {
  let hash = SEED;
  for (let i = 0; i < term.length; i++) hash = mix(hash, term.charCodeAt(i));
  return finished(hash);
};

const hashOfUnits = (units: Uint16Array, start: number, end: number): number => {
  let hash = SEED;
  for (let i = start; i < end; i++) hash = mix(hash, units[i] as number);
  return finished(hash);
};

// FNV-1a over 16-bit units, with the finalizer of MurmurHash3, because the table uses the lowest bits.
const mix = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

const finished = (hash: number): number => {
  const a = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b ^ (b >>> 16)) >>> 0;
};
