declare const brand: unique symbol;

/** A `Base` that was validated on input and needs no further check. */
export type Branded<Base, Kind extends string> = Base & { readonly [brand]: Kind };
