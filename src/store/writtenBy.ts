import type { NamedWrites, ObjectStore } from "./objectStore.ts"

type Store = ObjectStore["Service"]

/** A store whose writes have this manager unless they name one themselves. */
export const writtenBy = (store: Store, manager: string): Store => {
  const { rehearsal } = store
  return {
    ...store,
    ...named(store, manager),
    updateStatus: (object, options) => store.updateStatus(object, { manager, ...options }),
    modify: (ref, change, options) => store.modify(ref, change, { manager, ...options }),
    ...(rehearsal === undefined ? {} : { rehearsal: () => named(rehearsal(), manager) })
  }
}

const named = ({ get, create, update }: NamedWrites, manager: string): NamedWrites => ({
  get,
  create: (draft, options) => create(draft, { manager, ...options }),
  update: (object, options) => update(object, { manager, ...options })
})
