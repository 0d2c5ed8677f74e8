/** Values from before faults changed them, by name. The last fault to end restores them. */
export interface NodeValuesBeforeFaults {
  /** Returns whether this fault is the first to change the value. */
  readonly hold: (name: string, before: unknown) => boolean
  /** Undefined while other faults hold the value. */
  readonly release: (name: string) => { readonly before: unknown } | undefined
  readonly save: () => SavedNodeValues | undefined
  readonly restore: (state: SavedNodeValues) => void
}

export type SavedNodeValues = ReadonlyArray<readonly [name: string, NodeValueBeforeFaults]>

interface NodeValueBeforeFaults {
  readonly before: unknown
  readonly holders: number
}

export const makeNodeValuesBeforeFaults = (): NodeValuesBeforeFaults => {
  const values = new Map<string, NodeValueBeforeFaults>()
  return {
    hold: (name, before) => {
      const present = values.get(name)
      if (present === undefined) values.set(name, { before, holders: 1 })
      else values.set(name, { ...present, holders: present.holders + 1 })
      return present === undefined
    },
    release: (name) => {
      const present = values.get(name)
      if (present === undefined) return undefined
      if (present.holders > 1) {
        values.set(name, { ...present, holders: present.holders - 1 })
        return undefined
      }
      values.delete(name)
      return { before: present.before }
    },
    save: () => (values.size === 0 ? undefined : [...values]),
    restore: (state) => {
      for (const [name, heldValue] of state) values.set(name, heldValue)
    }
  }
}
