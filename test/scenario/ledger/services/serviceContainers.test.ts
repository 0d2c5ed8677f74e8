import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { accountAfter, hook, deleteOnePod } from "./serviceLedgers.ts"
import { resources } from "../../../../src/kubernetes/meta/kinds.ts"
import type { Behaviour } from "../../../../src/behaviours/behaviour.ts"
import type { Draft } from "../../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../../cluster/testCluster.ts"

const api = (more: object = {}) => ({
  name: "api",
  image: "api:v1",
  ports: [{ name: "http", containerPort: 8080 }],
  ...more
})
const exporter = (more: object = {}) => ({ name: "exporter", image: "exporter:v1", ...more })
const sleeps = (seconds: number) => hook({ sleep: { seconds } })
const sidecar = (more: object = {}) => ({ ...api(), image: "proxy:v1", restartPolicy: "Always", ...more })
const to = (targetPort: number | string) => ({ port: 80, targetPort })

const retarget =
  (targetPort: string) =>
  (cluster: ClusterService): Effect.Effect<unknown, unknown> =>
    Effect.gen(function* () {
      yield* cluster.modify({ resource: resources.services, name: "web" }, (object) => {
        const spec = { ...(object as Draft & { readonly spec: object }).spec, ports: [to(targetPort)] }
        return { ...object, spec } as Draft
      })
      yield* cluster.advance(10_000)
      yield* deleteOnePod()(cluster)
    })

describe("requests of a Service to a Pod of several containers", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly podSpec: object
    readonly ports?: ReadonlyArray<object>
    readonly clusterIP?: string
    readonly behaviour?: Partial<Behaviour>
    readonly action?: (cluster: ClusterService) => Effect.Effect<unknown, unknown>
    readonly lost: Partial<Record<"starting" | "stopping" | "failing" | "noEndpoint", number>>
  }> = [
    {
      why: "do not fail when another container stops",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      lost: {}
    },
    {
      why: "fail when only another container has a preStop hook",
      podSpec: { containers: [api(), exporter(sleeps(5))] },
      lost: { stopping: 25 }
    },
    {
      why: "go to the container that declares the port by number",
      podSpec: { containers: [exporter(), api(sleeps(5))] },
      ports: [to(8080)],
      lost: {}
    },
    {
      why: "go to the container that declares the port with the same protocol",
      podSpec: {
        containers: [
          api(sleeps(5)),
          exporter({ ports: [{ name: "statsd", containerPort: 8080, protocol: "UDP" }] })
        ]
      },
      ports: [to(8080)],
      lost: {}
    },
    {
      why: "go to all containers when none declares the port, until the first stops",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      ports: [to(9090)],
      lost: { stopping: 25 }
    },
    {
      why: "go to each container that declares one of the ports",
      podSpec: {
        containers: [api(sleeps(5)), exporter({ ports: [{ name: "metrics", containerPort: 9090 }] })]
      },
      ports: [
        { name: "http", ...to("http") },
        { name: "metrics", ...to("metrics"), port: 90 }
      ],
      lost: { stopping: 25 }
    },
    {
      why: "go to the declared one of two ports",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      ports: [
        { name: "http", ...to("http") },
        { name: "grpc", ...to(9090), port: 90 }
      ],
      lost: {}
    },
    {
      why: "follow a changed targetPort",
      podSpec: {
        containers: [api(sleeps(5)), exporter({ ports: [{ name: "metrics", containerPort: 9090 }] })]
      },
      action: retarget("metrics"),
      lost: { stopping: 25 }
    },
    {
      why: "are all lost when no container declares the new targetPort",
      podSpec: { containers: [api(sleeps(5))] },
      action: retarget("nosuch"),
      // Seventy seconds less the one until clients know.
      lost: { noEndpoint: 6900 }
    },
    {
      why: "go to a headless Service's Pods without a declared port",
      podSpec: { containers: [api(sleeps(5))] },
      ports: [to("nosuch")],
      clusterIP: "None",
      lost: {}
    },
    {
      why: "go to a sidecar until it stops after the others",
      podSpec: { containers: [exporter()], initContainers: [sidecar()] },
      behaviour: { terminate: "400ms" },
      // From the sidecar's stop until clients know.
      lost: { stopping: 15 }
    },
    {
      why: "go to a sidecar until its own longer hook ends",
      podSpec: { containers: [exporter()], initContainers: [sidecar(sleeps(2))] },
      lost: {}
    },
    {
      why: "do not go to an init container that declares the port",
      podSpec: { containers: [exporter()], initContainers: [api()] },
      ports: [to(8080)],
      lost: { stopping: 25 }
    },
    {
      why: "do not fail when another container crashes, which makes the Pod unready",
      podSpec: { containers: [api(), exporter()] },
      behaviour: { containers: { exporter: { exit: { after: "75s", code: 1, times: 1 } } } },
      action: () => Effect.void,
      // All Pods at once, for the ten seconds of the restart.
      lost: { noEndpoint: 1000 }
    },
    {
      why: "do not depend on a crashed container when the Pod terminates",
      podSpec: { containers: [api(sleeps(20)), exporter()] },
      behaviour: { containers: { exporter: { exit: { after: "65s", code: 1, times: 1 } } } },
      ports: [to(8080)],
      action: (cluster) =>
        Effect.gen(function* () {
          yield* cluster.advance(6_000)
          yield* deleteOnePod()(cluster)
        }),
      // All Pods are unready from five seconds on until the exporters have restarted.
      lost: { noEndpoint: 1000 }
    },
    {
      why: "do not fail when another container hangs",
      podSpec: { containers: [api(), exporter()] },
      behaviour: { containers: { exporter: { hang: "75s" } } },
      action: () => Effect.void,
      lost: {}
    },
    {
      why: "fail when the serving container hangs",
      podSpec: { containers: [exporter(), api()] },
      behaviour: { containers: { api: { hang: "75s" } } },
      action: () => Effect.void,
      lost: { failing: 4500 }
    }
  ]
  it.for(rows)(
    "$why",
    async ({ podSpec, ports = [to("http")], clusterIP, behaviour, action = deleteOnePod(), lost }) => {
      const times = {
        start: "10s",
        ...(behaviour?.containers === undefined ? {} : { containers: withStart(behaviour) })
      }
      const { because } = await accountAfter({ replicas: 4, podSpec }, action, {
        behaviour: { terminate: "100ms", ...behaviour, ...times },
        service: { ports, ...(clusterIP === undefined ? {} : { clusterIP }) }
      })
      expect(because).toEqual({ starting: 0, stopping: 0, failing: 0, noEndpoint: 0, ...lost })
    }
  )
})

/** Adds the common start time to the named containers. */
const withStart = ({ containers = {} }: Partial<Behaviour>): NonNullable<Behaviour["containers"]> =>
  Object.fromEntries(Object.entries(containers).map(([name, it]) => [name, { start: "10s", ...it }]))
