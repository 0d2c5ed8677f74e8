import type { SingleObjectWrites, ObjectStore } from "./objectStore.ts"

type Store = ObjectStore["Service"]

export const withFieldManager = (store: Store, manager: string): Store => {
  const { modifyNow, beginDryRun } = store
  return {
    ...store,
    ...singleObjectWritesOf(store, manager),
    updateStatus: (object, options) => store.updateStatus(object, { manager, ...options }),
    modify: (ref, change, options) => store.modify(ref, change, { manager, ...options }),
    ...(modifyNow === undefined
      ? {}
      : { modifyNow: (ref, change, options) => modifyNow(ref, change, { manager, ...options }) }),
    ...(beginDryRun === undefined ? {} : { beginDryRun: () => singleObjectWritesOf(beginDryRun(), manager) })
  }
}

const singleObjectWritesOf = (writes: SingleObjectWrites, manager: string): SingleObjectWrites => ({
  ...writes,
  create: (draft, options) => writes.create(draft, { manager, ...options }),
  update: (object, options) => writes.update(object, { manager, ...options })
})
