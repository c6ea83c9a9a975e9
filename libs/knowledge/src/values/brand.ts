declare const brand: unique symbol;

/** A `Base` that was checked once, at the door, and is trusted from there on. */
export type Branded<Base, Kind extends string> = Base & { readonly [brand]: Kind };
