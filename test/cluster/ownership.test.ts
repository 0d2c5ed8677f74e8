import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { controllerOf, controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { NotFound } from "../../src/store/storeErrors.ts"
import { aDeployment, aPod, aReplicaSet } from "../upstream/world.ts"
import { forbidden, inFaultyWorld } from "./faults.ts"
import type { InspectionEvent } from "xstate"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { ObjectStore } from "../../src/store/objectStore.ts"
import type { FaultyWorld } from "./faults.ts"

/**
 * Owners and children in a world that changes between a controller's look and its deed.
 *
 * Source: pkg/controller/controller_ref_manager.go.
 */

type Store = ObjectStore["Service"]

const here = { namespace: "default" }
const anOwner = {
  [resources.deployments]: aDeployment({ metadata: { ...here, labels: { app: "web" } } }),
  [resources.replicaSets]: aReplicaSet({ metadata: { ...here, labels: { app: "web" } } })
} as const
const anOrphan = {
  [resources.deployments]: aReplicaSet({ metadata: { ...here, name: "bare", labels: { app: "web" } } }),
  [resources.replicaSets]: aPod("bare", here)
} as const
const childResource = {
  [resources.deployments]: resources.replicaSets,
  [resources.replicaSets]: resources.pods
} as const

const noFault = () => undefined

const ownerOf = ({ view }: FaultyWorld, resource: string, name: string): string | undefined => {
  const object = view.get(resource, `default/${name}`)
  return object === undefined ? undefined : controllerOf(object)?.uid
}

const numberOf = ({ view }: FaultyWorld, resource: string): number => [...view.all(resource)].length

const soon = ({ timeline: { kernel } }: FaultyWorld): void => {
  kernel.advanceTo(kernel.nowMillis() + 400, () => false)
}

/** What actors were told that could not be done. */
const refusalsIn = (messages: Set<string>) => (event: InspectionEvent) => {
  if (event.type !== "@xstate.event" || event.event.type !== "refused") return
  messages.add((event.event as unknown as { readonly refusal: CommandRefusal }).refusal.message)
}

describe("an owner that is read again before it adopts", () => {
  interface Row {
    readonly why: string
    readonly reads: (owner: KubeObject) => Effect.Effect<KubeObject, NotFound>
    readonly says: string
  }
  const rows: ReadonlyArray<Row> = [
    {
      why: "it is gone",
      reads: ({ metadata: { name } }) => Effect.fail(new NotFound({ resource: "owners", name })),
      says: "owners NAME not found"
    },
    {
      why: "another has its name by now",
      reads: (owner) => Effect.succeed({ ...owner, metadata: { ...owner.metadata, uid: "another" } }),
      says: "original KIND default/NAME is gone: got uid another, wanted UID"
    },
    {
      why: "it is being deleted",
      reads: (owner) => {
        const deletionTimestamp = "2026-01-01T00:00:00Z"
        return Effect.succeed({ ...owner, metadata: { ...owner.metadata, deletionTimestamp } })
      },
      says: "default/NAME has just been deleted at 2026-01-01T00:00:00Z"
    }
  ]
  for (const resource of [resources.deployments, resources.replicaSets] as const) {
    it.each(rows)(`leaves the orphan alone and tries again, of ${resource}, when $why`, ({ reads, says }) => {
      const messages = new Set<string>()
      let isInDoubt = true
      const disguised = (store: Store): Store => ({
        ...store,
        get: ((ref: Parameters<Store["get"]>[0]) => {
          const present = store.get(ref)
          return isInDoubt && ref.resource === resource ? Effect.flatMap(present, reads) : present
        }) as Store["get"]
      })
      inFaultyWorld({ fault: noFault, disguised, inspect: refusalsIn(messages) }, (world) => {
        const { store, view, run } = world
        run(Effect.andThen(store.create(anOrphan[resource]), store.create(anOwner[resource])))
        soon(world)
        const [owner] = [...view.all(resource)].filter(({ metadata }) => metadata.name !== "bare")
        const child = view.get(childResource[resource], "default/bare")
        const { kind = "", metadata } = owner ?? {}
        expect(ownerOf(world, childResource[resource], "bare")).toBeUndefined()
        // Nor is anything made in its place.
        expect(numberOf(world, childResource[resource])).toBe(1)
        const name = metadata?.name ?? ""
        const because = says
          .replace("owners NAME", `owners ${JSON.stringify(name)}`)
          .replace("NAME", name)
          .replace("KIND", kind)
          .replace("UID", metadata?.uid ?? "")
        expect([...messages]).toEqual([
          `can't adopt ${child?.kind} default/bare (${child?.metadata.uid}): ${because}`
        ])

        isInDoubt = false
        soon(world)
        expect(ownerOf(world, childResource[resource], "bare")).toBe(metadata?.uid)
        expect(numberOf(world, childResource[resource])).toBe(1)
      })
    })
  }
})

/** Does something right before the controllers' first write of this sort to the Pod `bare`. */
const beforeWriting =
  (deed: (store: Store) => Effect.Effect<unknown, StoreError>) =>
  (store: Store): Store => {
    let isDone = false
    return {
      ...store,
      modify: (ref, change, only) =>
        Effect.suspend(() => {
          const first = !isDone && ref.key === "default/bare" && only?.status !== true
          if (first) isDone = true
          const write = store.modify(ref, change, only)
          return first ? Effect.andThen(deed(store), write) : write
        })
    }
  }

const bare = { resource: resources.pods, key: "default/bare" } as const

/** Another Pod under the name `bare`. */
const replaced = (metadata: object) => (store: Store) =>
  Effect.andThen(
    store.delete(bare, { gracePeriodSeconds: 0 }),
    store.create(aPod("bare", { ...here, ...metadata }))
  )

/** The controllers that each Pod under the name `bare` has had, by the Pod's uid; none is an empty text. */
const ownersOfBare = ({ view }: FaultyWorld): ReadonlyMap<string, Set<string>> => {
  const owners = new Map<string, Set<string>>()
  view.subscribe(({ object, type }) => {
    if (object.metadata.name !== "bare" || type === "DELETED") return
    const had = owners.get(object.metadata.uid) ?? new Set<string>()
    owners.set(object.metadata.uid, had.add(controllerOf(object)?.uid ?? ""))
  })
  return owners
}

describe("a namesake of the child that was looked at", () => {
  it("is not adopted in its place", () => {
    const disguised = beforeWriting(replaced({ labels: { app: "other" } }))
    inFaultyWorld({ fault: noFault, disguised }, (world) => {
      const { store, run } = world
      const owners = ownersOfBare(world)
      run(Effect.andThen(store.create(aPod("bare", here)), store.create(anOwner[resources.replicaSets])))
      soon(world)
      expect([...owners.values()].map((had) => [...had])).toEqual([[""], [""]])
      expect(world.view.get(resources.pods, "default/bare")?.metadata.labels).toEqual({ app: "other" })
      // The one that is wanted was made after that.
      expect(numberOf(world, resources.pods)).toBe(2)
    })
  })

  it("is not let go in its place", () => {
    let owner: KubeObject | undefined
    const dear = { annotations: { "controller.kubernetes.io/pod-deletion-cost": "7" } }
    const own = (): object => (owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] })
    const disguised = beforeWriting((store) => replaced({ ...dear, ...own() })(store))
    inFaultyWorld({ fault: noFault, disguised }, (world) => {
      const { store, view, run } = world
      const owners = ownersOfBare(world)
      const metadata = { ...here, labels: { app: "web" } }
      run(store.create(aReplicaSet({ metadata, replicas: 0 })))
      owner = view.get(resources.replicaSets, "default/rs")
      const stranger = aPod("bare", { ...here, labels: { app: "other" }, ...own() })
      run(Effect.andThen(store.create(stranger), resized(store, 1)))
      soon(world)
      expect(view.get(resources.pods, "default/bare")?.metadata.labels).toEqual({ app: "web" })
      const { uid } = owner?.metadata ?? {}
      expect([...owners.values()].map((had) => [...had])).toEqual([[uid], [uid]])
      expect(numberOf(world, resources.pods)).toBe(1)
    })
  })
})

const resized = (store: Store, replicas: number): Effect.Effect<unknown, StoreError> =>
  Effect.flatMap(store.get({ resource: resources.replicaSets, key: "default/rs" }), (it) => {
    const { status: _status, ...rest } = it
    return store.update({ ...rest, spec: { ...it.spec, replicas } } as Draft)
  })

describe("an orphan that somebody else has taken on meanwhile", () => {
  it("stays with that one, and the one who was late makes do without", () => {
    const messages = new Set<string>()
    let other: KubeObject | undefined
    const disguised = beforeWriting((store) =>
      store.modify(bare, (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, ...(other && { ownerReferences: [controllerReference(other)] }) }
      }))
    )
    inFaultyWorld({ fault: noFault, disguised, inspect: refusalsIn(messages) }, (world) => {
      const { store, view, run } = world
      run(store.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { ...here, name: "other" } }))
      other = view.get("configmaps", "default/other")
      run(Effect.andThen(store.create(aPod("bare", here)), store.create(anOwner[resources.replicaSets])))
      soon(world)
      expect(ownerOf(world, resources.pods, "bare")).toBe(other?.metadata.uid)
      const late = view.get(resources.replicaSets, "default/rs")
      expect(view.controlled(resources.pods, late?.metadata.uid ?? "")).toHaveLength(1)
      expect([...messages].join()).toContain("Only one reference can have Controller set to true")
    })
  })
})

describe("an adoption that is refused", () => {
  it("keeps no other orphan from being adopted", () => {
    const disguised = (store: Store): Store => ({
      ...store,
      modify: (ref, change, only) =>
        ref.key === "default/bare" && only?.status !== true
          ? Effect.fail(forbidden())
          : store.modify(ref, change, only)
    })
    inFaultyWorld({ fault: noFault, disguised }, (world) => {
      const { store, view, run } = world
      const pods = ["another", "bare", "third"].map((name) => store.create(aPod(name, here)))
      const metadata = { ...here, labels: { app: "web" } }
      run(Effect.andThen(Effect.all(pods), store.create(aReplicaSet({ metadata, replicas: 3 }))))
      soon(world)
      const owner = view.get(resources.replicaSets, "default/rs")
      const owned = ["another", "bare", "third"].map((name) => ownerOf(world, resources.pods, name))
      expect(owned).toEqual([owner?.metadata.uid, undefined, owner?.metadata.uid])
      // The look has failed, so that none is made either: the orphan may be adopted yet.
      expect(numberOf(world, resources.pods)).toBe(3)
    })
  })
})
