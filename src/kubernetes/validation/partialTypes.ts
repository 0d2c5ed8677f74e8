/** Objects as clients send them, before defaults and validation: fields may be missing or undefined. */

/** Every field of the object itself may be missing; those inside its fields may not. */
export type ShallowPartial<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** At every depth, every field may be missing. Maps such as labels stay as they are. */
export type DeepPartial<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<DeepPartial<Item>>
    : T extends object
      ? string extends keyof T
        ? T
        : { readonly [K in keyof T]?: DeepPartial<T[K]> | undefined }
      : T
