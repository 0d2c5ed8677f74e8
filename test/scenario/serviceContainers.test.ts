import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { after, hook, stopOne } from "./serviceWorlds.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import type { Behaviour } from "../../src/behaviours/behaviour.ts"
import type { Draft } from "../../src/kubernetes/meta/objects.ts"
import type { Living } from "../cluster/worlds.ts"

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
  (cluster: Living): Effect.Effect<unknown, unknown> =>
    Effect.gen(function* () {
      yield* cluster.modify({ resource: resources.services, key: "default/web" }, (object) => {
        const spec = { ...(object as Draft & { readonly spec: object }).spec, ports: [to(targetPort)] }
        return { ...object, spec } as Draft
      })
      yield* cluster.advance(10_000)
      yield* stopOne()(cluster)
    })

describe("of several containers those count that requests go to", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly podSpec: object
    readonly ports?: ReadonlyArray<object>
    readonly clusterIP?: string
    readonly behaviour?: Partial<Behaviour>
    readonly deed?: (cluster: Living) => Effect.Effect<unknown, unknown>
    readonly lost: Partial<Record<"starting" | "stopping" | "failing" | "nobody", number>>
  }> = [
    {
      why: "another that is gone meanwhile is no failure",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      lost: {}
    },
    {
      why: "the hook of another holds up nobody else",
      podSpec: { containers: [api(), exporter(sleeps(5))] },
      lost: { stopping: 25 }
    },
    {
      why: "the one that declares the port by its number",
      podSpec: { containers: [exporter(), api(sleeps(5))] },
      ports: [to(8080)],
      lost: {}
    },
    {
      why: "and of the same protocol",
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
      why: "all of them where none declares it, to the first that is told to stop",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      ports: [to(9090)],
      lost: { stopping: 25 }
    },
    {
      why: "each of those that declare one of its ports",
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
      why: "of two ports the one that somebody declares",
      podSpec: { containers: [api(sleeps(5)), exporter()] },
      ports: [
        { name: "http", ...to("http") },
        { name: "grpc", ...to(9090), port: 90 }
      ],
      lost: {}
    },
    {
      why: "the one that they go to from now on",
      podSpec: {
        containers: [api(sleeps(5)), exporter({ ports: [{ name: "metrics", containerPort: 9090 }] })]
      },
      deed: retarget("metrics"),
      lost: { stopping: 25 }
    },
    {
      why: "none, where no container declares the port that they go to from now on",
      podSpec: { containers: [api(sleeps(5))] },
      deed: retarget("nosuch"),
      // Seventy seconds, but for the one until clients have heard of it.
      lost: { nobody: 6900 }
    },
    {
      why: "those of a Pod whose address is asked for, though no container declares the port",
      podSpec: { containers: [api(sleeps(5))] },
      ports: [to("nosuch")],
      clusterIP: "None",
      lost: {}
    },
    {
      why: "a sidecar, which stops once the others have",
      podSpec: { containers: [exporter()], initContainers: [sidecar()] },
      behaviour: { terminate: "400ms" },
      // From then on, until clients have heard of it.
      lost: { stopping: 15 }
    },
    {
      why: "a sidecar, which stops after its own hook where that takes longer",
      podSpec: { containers: [exporter()], initContainers: [sidecar(sleeps(2))] },
      lost: {}
    },
    {
      why: "not one for init, though it declares the port",
      podSpec: { containers: [exporter()], initContainers: [api()] },
      ports: [to(8080)],
      lost: { stopping: 25 }
    },
    {
      why: "one that crashes beside them makes the Pod unready, and no request to it fails",
      podSpec: { containers: [api(), exporter()] },
      behaviour: { containers: { exporter: { exit: { after: "75s", code: 1, times: 1 } } } },
      deed: () => Effect.void,
      // All at once, for the ten seconds that it takes to start again.
      lost: { nobody: 1000 }
    },
    {
      why: "one that has crashed is told nothing, and keeps nobody from being told later",
      podSpec: { containers: [api(sleeps(20)), exporter()] },
      behaviour: { containers: { exporter: { exit: { after: "65s", code: 1, times: 1 } } } },
      ports: [to(8080)],
      deed: (cluster) =>
        Effect.gen(function* () {
          yield* cluster.advance(6_000)
          yield* stopOne()(cluster)
        }),
      // All are unready from five seconds on, until the exporters have started again.
      lost: { nobody: 1000 }
    },
    {
      why: "one that hangs beside them is none of theirs",
      podSpec: { containers: [api(), exporter()] },
      behaviour: { containers: { exporter: { hang: "75s" } } },
      deed: () => Effect.void,
      lost: {}
    },
    {
      why: "one that hangs itself answers nobody",
      podSpec: { containers: [api(), exporter()] },
      behaviour: { containers: { api: { hang: "75s" } } },
      deed: () => Effect.void,
      lost: { failing: 4500 }
    }
  ]
  it.for(rows)(
    "$why",
    async ({ podSpec, ports = [to("http")], clusterIP, behaviour, deed = stopOne(), lost }) => {
      const times = {
        start: "10s",
        ...(behaviour?.containers === undefined ? {} : { containers: withStart(behaviour) })
      }
      const { because } = await after({ replicas: 4, podSpec }, deed, {
        behaviour: { terminate: "100ms", ...behaviour, ...times },
        service: { ports, ...(clusterIP === undefined ? {} : { clusterIP }) }
      })
      expect(because).toEqual({ starting: 0, stopping: 0, failing: 0, nobody: 0, ...lost })
    }
  )
})

/** Each container that is named takes ten seconds to start, as the others do. */
const withStart = ({ containers = {} }: Partial<Behaviour>): NonNullable<Behaviour["containers"]> =>
  Object.fromEntries(Object.entries(containers).map(([name, it]) => [name, { start: "10s", ...it }]))
