/** Originals of values that several faults change at once; the last fault to end restores them. */
export interface HeldValues {
  /** Returns whether this fault is the first. */
  readonly hold: (what: string, before: unknown) => boolean
  /** Returns the original value to the last fault; undefined while other faults remain. */
  readonly release: (what: string) => { readonly before: unknown } | undefined
  readonly save: () => HeldValuesState | undefined
  readonly restore: (state: HeldValuesState) => void
}

export type HeldValuesState = ReadonlyArray<readonly [what: string, HeldValue]>

interface HeldValue {
  readonly before: unknown
  readonly holders: number
}

export const makeHeldValues = (): HeldValues => {
  const held = new Map<string, HeldValue>()
  return {
    hold: (what, before) => {
      const present = held.get(what)
      if (present === undefined) held.set(what, { before, holders: 1 })
      else held.set(what, { ...present, holders: present.holders + 1 })
      return present === undefined
    },
    release: (what) => {
      const present = held.get(what)
      if (present === undefined) return undefined
      if (present.holders > 1) {
        held.set(what, { ...present, holders: present.holders - 1 })
        return undefined
      }
      held.delete(what)
      return { before: present.before }
    },
    save: () => (held.size === 0 ? undefined : [...held]),
    restore: (state) => {
      for (const [what, it] of state) held.set(what, it)
    }
  }
}
