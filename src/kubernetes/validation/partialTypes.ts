/** Objects as clients send them, before defaults and validation. */

/** Only the fields of the object itself may be missing. */
export type ShallowPartial<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Maps such as labels stay as they are. */
export type DeepPartial<T> =
  T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<DeepPartial<Item>>
    : T extends object
      ? string extends keyof T
        ? T
        : { readonly [K in keyof T]?: DeepPartial<T[K]> | undefined }
      : T
