import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aManifest } from "../builders.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { controllerOf, controllerReference } from "../../src/kubernetes/meta/ownerReferences.ts"
import { NotFound } from "../../src/store/storeErrors.ts"
import { aDeployment, aPod, aReplicaSet } from "../upstream/manualCluster.ts"
import { forbidden, withFaultyControlPlane } from "./faultyControlPlane.ts"
import type { InspectionEvent } from "xstate"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { Draft, KubeObject } from "../../src/kubernetes/meta/objects.ts"
import type { StoreError } from "../../src/store/storeErrors.ts"
import type { ObjectStore } from "../../src/store/objectStore.ts"
import type { FaultyControlPlane } from "./faultyControlPlane.ts"

/**
 * Adoption and release when the world changes between a controller's look and its write.
 *
 * Source: pkg/controller/controller_ref_manager.go.
 */

type Store = ObjectStore["Service"]

const inDefault = { namespace: "default" }
const anOwner = {
  [resources.deployments]: aDeployment({ metadata: { ...inDefault, labels: { app: "web" } } }),
  [resources.replicaSets]: aReplicaSet({ metadata: { ...inDefault, labels: { app: "web" } } })
} as const
const anOrphan = {
  [resources.deployments]: aReplicaSet({ metadata: { ...inDefault, name: "bare", labels: { app: "web" } } }),
  [resources.replicaSets]: aPod("bare", inDefault)
} as const
const childResource = {
  [resources.deployments]: resources.replicaSets,
  [resources.replicaSets]: resources.pods
} as const

const noFault = () => undefined

const ownerOf = ({ view }: FaultyControlPlane, resource: string, name: string): string | undefined => {
  const object = view.get(resource, `default/${name}`)
  return object === undefined ? undefined : controllerOf(object)?.uid
}

const numberOf = ({ view }: FaultyControlPlane, resource: string): number => [...view.all(resource)].length

const advanceShortly = ({ timeline: { kernel } }: FaultyControlPlane): void => {
  kernel.advanceTo(kernel.nowMillis() + 400, () => false)
}

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
      reads: ({ metadata: { name } }) =>
        Effect.fail(new NotFound({ resource: "owners", resourceName: name })),
      says: "owners NAME not found"
    },
    {
      why: "another object has its name",
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
    it.each(rows)(`leaves the orphan alone and tries again when $why (${resource})`, ({ reads, says }) => {
      const messages = new Set<string>()
      let isInDoubt = true
      const wrapStore = (store: Store): Store => ({
        ...store,
        get: ((ref: Parameters<Store["get"]>[0]) => {
          const present = store.get(ref)
          return isInDoubt && ref.resource === resource ? Effect.flatMap(present, reads) : present
        }) as Store["get"]
      })
      withFaultyControlPlane(
        { fault: noFault, disguised: wrapStore, inspect: refusalsIn(messages) },
        (controlPlane) => {
          const { store, view, run } = controlPlane
          run(Effect.andThen(store.create(anOrphan[resource]), store.create(anOwner[resource])))
          advanceShortly(controlPlane)
          const [owner] = [...view.all(resource)].filter(({ metadata }) => metadata.name !== "bare")
          const child = view.get(childResource[resource], "default/bare")
          const { kind = "", metadata } = owner ?? {}
          expect(ownerOf(controlPlane, childResource[resource], "bare")).toBeUndefined()
          expect(numberOf(controlPlane, childResource[resource])).toBe(1)
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
          advanceShortly(controlPlane)
          expect(ownerOf(controlPlane, childResource[resource], "bare")).toBe(metadata?.uid)
          expect(numberOf(controlPlane, childResource[resource])).toBe(1)
        }
      )
    })
  }
})

/** Performs an effect before the controllers' first write to the spec or metadata of Pod `bare`. */
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

const barePod = { resource: resources.pods, key: "default/bare" } as const

/** Replaces the Pod `bare` by another one of that name. */
const replaceBarePod = (metadata: object) => (store: Store) =>
  Effect.andThen(
    store.delete(barePod, { gracePeriodSeconds: 0 }),
    store.create(aPod("bare", { ...inDefault, ...metadata }))
  )

/** The controllers' uids of each Pod named `bare`, by the Pod's uid; "" without a controller. */
const ownersOfBare = ({ view }: FaultyControlPlane): ReadonlyMap<string, Set<string>> => {
  const owners = new Map<string, Set<string>>()
  view.subscribe(({ object, type }) => {
    if (object.metadata.name !== "bare" || type === "DELETED") return
    const formerOwners = owners.get(object.metadata.uid) ?? new Set<string>()
    owners.set(object.metadata.uid, formerOwners.add(controllerOf(object)?.uid ?? ""))
  })
  return owners
}

describe("a new Pod with the name of an observed one", () => {
  it("is not adopted in its place", () => {
    const wrapStore = beforeWriting(replaceBarePod({ labels: { app: "other" } }))
    withFaultyControlPlane({ fault: noFault, disguised: wrapStore }, (controlPlane) => {
      const { store, run } = controlPlane
      const owners = ownersOfBare(controlPlane)
      run(Effect.andThen(store.create(aPod("bare", inDefault)), store.create(anOwner[resources.replicaSets])))
      advanceShortly(controlPlane)
      expect([...owners.values()].map((formerOwners) => [...formerOwners])).toEqual([[""], [""]])
      expect(controlPlane.view.get(resources.pods, "default/bare")?.metadata.labels).toEqual({ app: "other" })
      // The missing Pod was created afterwards.
      expect(numberOf(controlPlane, resources.pods)).toBe(2)
    })
  })

  it("is not released in its place", () => {
    let owner: KubeObject | undefined
    const deletionCost = { annotations: { "controller.kubernetes.io/pod-deletion-cost": "7" } }
    const ownerReference = (): object =>
      owner === undefined ? {} : { ownerReferences: [controllerReference(owner)] }
    const wrapStore = beforeWriting((store) =>
      replaceBarePod({ ...deletionCost, ...ownerReference() })(store)
    )
    withFaultyControlPlane({ fault: noFault, disguised: wrapStore }, (controlPlane) => {
      const { store, view, run } = controlPlane
      const owners = ownersOfBare(controlPlane)
      const metadata = { ...inDefault, labels: { app: "web" } }
      run(store.create(aReplicaSet({ metadata, replicas: 0 })))
      owner = view.get(resources.replicaSets, "default/rs")
      const stranger = aPod("bare", { ...inDefault, labels: { app: "other" }, ...ownerReference() })
      run(Effect.andThen(store.create(stranger), resize(store, 1)))
      advanceShortly(controlPlane)
      expect(view.get(resources.pods, "default/bare")?.metadata.labels).toEqual({ app: "web" })
      const { uid } = owner?.metadata ?? {}
      expect([...owners.values()].map((formerOwners) => [...formerOwners])).toEqual([[uid], [uid]])
      expect(numberOf(controlPlane, resources.pods)).toBe(1)
    })
  })
})

const resize = (store: Store, replicas: number): Effect.Effect<unknown, StoreError> =>
  Effect.flatMap(store.get({ resource: resources.replicaSets, key: "default/rs" }), (it) => {
    const { status: _status, ...rest } = it
    return store.update({ ...rest, spec: { ...it.spec, replicas } } as Draft)
  })

describe("an orphan that another controller has adopted meanwhile", () => {
  it("keeps its owner, and the late controller creates no Pod for it", () => {
    const messages = new Set<string>()
    let other: KubeObject | undefined
    const wrapStore = beforeWriting((store) =>
      store.modify(barePod, (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, ...(other && { ownerReferences: [controllerReference(other)] }) }
      }))
    )
    withFaultyControlPlane(
      { fault: noFault, disguised: wrapStore, inspect: refusalsIn(messages) },
      (controlPlane) => {
        const { store, view, run } = controlPlane
        run(store.create(aManifest("ConfigMap", { ...inDefault, name: "other" })))
        other = view.get("configmaps", "default/other")
        run(
          Effect.andThen(store.create(aPod("bare", inDefault)), store.create(anOwner[resources.replicaSets]))
        )
        advanceShortly(controlPlane)
        expect(ownerOf(controlPlane, resources.pods, "bare")).toBe(other?.metadata.uid)
        const lateReplicaSet = view.get(resources.replicaSets, "default/rs")
        expect(view.controlled(resources.pods, lateReplicaSet?.metadata.uid ?? "")).toHaveLength(1)
        expect([...messages].join()).toContain("Only one reference can have Controller set to true")
      }
    )
  })
})

describe("a refused adoption", () => {
  it("does not prevent other adoptions", () => {
    const wrapStore = (store: Store): Store => ({
      ...store,
      modify: (ref, change, only) =>
        ref.key === "default/bare" && only?.status !== true
          ? Effect.fail(forbidden())
          : store.modify(ref, change, only)
    })
    withFaultyControlPlane({ fault: noFault, disguised: wrapStore }, (controlPlane) => {
      const { store, view, run } = controlPlane
      const pods = ["another", "bare", "third"].map((name) => store.create(aPod(name, inDefault)))
      const metadata = { ...inDefault, labels: { app: "web" } }
      run(Effect.andThen(Effect.all(pods), store.create(aReplicaSet({ metadata, replicas: 3 }))))
      advanceShortly(controlPlane)
      const owner = view.get(resources.replicaSets, "default/rs")
      const owned = ["another", "bare", "third"].map((name) => ownerOf(controlPlane, resources.pods, name))
      expect(owned).toEqual([owner?.metadata.uid, undefined, owner?.metadata.uid])
      // The turn failed, so no Pod was created: the orphan may still be adopted.
      expect(numberOf(controlPlane, resources.pods)).toBe(3)
    })
  })

  it("prevents the report that follows it", () => {
    const wrapStore = (store: Store): Store => ({
      ...store,
      modify: (ref, change, only) =>
        ref.key === "default/bare" ? Effect.fail(forbidden()) : store.modify(ref, change, only)
    })
    withFaultyControlPlane({ fault: noFault, disguised: wrapStore }, (controlPlane) => {
      const { store, view, run } = controlPlane
      const metadata = { ...inDefault, labels: { app: "web" } }
      run(
        Effect.andThen(
          store.create(aPod("bare", inDefault)),
          store.create(aReplicaSet({ metadata, replicas: 1 }))
        )
      )
      advanceShortly(controlPlane)
      expect(ownerOf(controlPlane, resources.pods, "bare")).toBe(undefined)
      expect(view.get(resources.replicaSets, "default/rs")?.status).toEqual({ replicas: 0 })
    })
  })
})
