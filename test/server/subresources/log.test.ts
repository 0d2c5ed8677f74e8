import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { podManifest } from "../../builders.ts"
import { instant } from "../../../src/behaviours/builtInBehaviours.ts"
import { logVerb } from "../../../src/server/subresources/logVerb.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import { createObject, withCluster } from "../../cluster/testCluster.ts"
import { outcomeOf, podCall } from "./podCall.ts"
import { makeErrorCatcher } from "../../../src/runtime/observers.ts"
import type { Behaviour } from "../../../src/behaviours/behaviour.ts"
import type { Draft } from "../../../src/kubernetes/meta/objects.ts"
import type { ClusterService } from "../../cluster/testCluster.ts"

const aPod = (spec: object = {}): Draft => podManifest("web", spec)

const slowPods: Behaviour = { ...instant, name: "told", ready: "2s", terminate: "1s" }

const crashing: Behaviour = {
  ...instant,
  name: "crashes",
  ready: "9s",
  exit: { after: "2s", code: 3, times: "forever" }
}

/** Runs a test on a Pod, so many seconds after its creation. */
const withPod = (
  seconds: number,
  check: (cluster: ClusterService) => Effect.Effect<void>,
  { behaviour = slowPods, pod = aPod() }: { readonly behaviour?: Behaviour; readonly pod?: Draft } = {}
): Promise<void> =>
  withCluster({ behaviour, nodes: 1 }, (cluster) =>
    Effect.gen(function* () {
      yield* createObject(cluster, pod)
      yield* passSeconds(cluster, seconds)
      yield* check(cluster)
    })
  )

const passSeconds = (cluster: ClusterService, seconds: number) =>
  Effect.orDie(cluster.advance(seconds * 1000))
const pageOf = (cluster: ClusterService, query = "") =>
  outcomeOf(cluster, logVerb, podCall(cluster, { name: "web", subresource: "log", query }))

interface Reading {
  readonly code: number
  readonly text: () => string
  readonly isOver: () => boolean
  readonly leave: () => void
}

const read = (cluster: ClusterService, query = ""): Effect.Effect<Reading> =>
  Effect.map(pageOf(cluster, query), (outcome) => {
    if ("status" in outcome)
      return {
        code: outcome.status.code,
        text: () => outcome.status.message ?? "",
        isOver: () => true,
        leave: () => {}
      }
    if (outcome.answer.type !== "stream") throw new Error("a log is a stream")
    const pieces: Array<string> = []
    let over = false
    const leave = outcome.answer.open({
      write: (bytes) => pieces.push(bytes.toString()),
      end: () => {
        over = true
      },
      unreadBytes: () => 0,
      onDrained: () => {},
      endOnError: makeErrorCatcher("the log")
    })
    expect(outcome.answer.contentType).toBe("text/plain")
    return { code: 200, text: () => pieces.join(""), isOver: () => over, leave }
  })

const firstLine = "app: registry.example/app:v1 starts in web"

describe("the log of a Pod", () => {
  it("has the output of its only container, cut as requested", () =>
    withPod(5, (cluster) =>
      Effect.gen(function* () {
        const texts: Array<string> = []
        for (const query of [
          "",
          "tailLines=1",
          "sinceSeconds=4",
          "limitBytes=7",
          "timestamps=true",
          "sinceTime=2026-01-01T00:00:02Z"
        ]) {
          texts.push((yield* read(cluster, query)).text())
        }
        expect(texts).toEqual([
          `${firstLine}\napp: ready\n`,
          "app: ready\n",
          "app: ready\n",
          "app: re",
          `2026-01-01T00:00:00.000000000Z ${firstLine}\n2026-01-01T00:00:02.000000000Z app: ready\n`,
          "app: ready\n"
        ])
      })
    ))

  it("has the current run of a container that crashed, or the previous one", () =>
    withPod(
      15,
      (cluster) =>
        Effect.gen(function* () {
          // It crashes after 2 s, is started at once, crashes at 4 s, waits 10 s and runs again at 14 s.
          expect([(yield* read(cluster)).text(), (yield* read(cluster, "previous=true")).text()]).toEqual([
            `${firstLine} (run 3)\n`,
            `${firstLine} (run 2)\nended: exit code 3\n`
          ])
        }),
      { behaviour: crashing }
    ))

  it("has the last run of a container that waits for its restart, with its number", () =>
    withPod(
      6,
      (cluster) =>
        Effect.gen(function* () {
          const lastRun = `${firstLine} (run 2)\nended: exit code 3\n`
          expect([(yield* read(cluster)).text(), (yield* read(cluster, "previous=true")).text()]).toEqual([
            lastRun,
            lastRun
          ])
        }),
      { behaviour: crashing }
    ))

  const two = aPod({
    containers: [
      { name: "app", image: "registry.example/app:v1" },
      { name: "proxy", image: "registry.example/proxy:v1" }
    ],
    initContainers: [{ name: "setup", image: "registry.example/setup:v1" }]
  })

  it("needs a container's name when the Pod has several", () =>
    withPod(
      5,
      (cluster) =>
        Effect.gen(function* () {
          const texts: Array<string> = []
          for (const query of ["", "container=proxy", "container=setup", "container=x"]) {
            const { code, text } = yield* read(cluster, query)
            texts.push(`${code} ${text()}`)
          }
          expect(texts).toEqual([
            "400 a container name must be specified for pod web, choose one of: [app proxy] or one of the init containers: [setup]",
            "200 proxy: registry.example/proxy:v1 starts in web\nproxy: ready\n",
            "200 setup: registry.example/setup:v1 starts in web\ndone: exit code 0\n",
            "400 container x is not valid for pod web"
          ])
        }),
      { pod: two }
    ))

  it("is empty before the Pod has a node, and refused while its container is waiting", () =>
    withPod(
      0,
      (cluster) =>
        Effect.gen(function* () {
          const early = yield* read(cluster)
          yield* passSeconds(cluster, 2)
          const waiting = yield* read(cluster)
          expect([early.code, early.text(), waiting.code, waiting.text()]).toEqual([
            200,
            "",
            400,
            'container "app" in pod "web" is waiting to start: ContainerCreating'
          ])
        }),
      { behaviour: { ...instant, name: "slow", schedule: "1s", pull: { delay: "9s" } } }
    ))

  it("is not found for a missing Pod", () =>
    withPod(0, (cluster) =>
      Effect.gen(function* () {
        const call = podCall(cluster, { name: "missing", subresource: "log" })
        expect(yield* outcomeOf(cluster, logVerb, call)).toMatchObject({ status: { code: 404 } })
      })
    ))

  it.each([
    { query: "tailLines=-1", message: "tailLines: Invalid value: -1: must be greater than or equal to 0" },
    { query: "limitBytes=0", message: "limitBytes: Invalid value: 0: must be greater than 0" },
    { query: "sinceSeconds=0", message: "sinceSeconds: Invalid value: 0: must be greater than 0" },
    {
      query: "sinceSeconds=3&sinceTime=2026-01-01T00:00:00Z",
      message: ": Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
    }
  ])("is refused with $query", ({ query, message }) =>
    withPod(1, (cluster) =>
      Effect.gen(function* () {
        expect(yield* pageOf(cluster, query)).toMatchObject({
          status: { code: 422, message: `PodLogOptions "web" is invalid: ${message}` }
        })
      })
    )
  )

  it.each([{ query: "sinceTime=yesterday", message: 'cannot parse "yesterday" as "2006"' }])(
    "is refused as a bad request with $query",
    ({ query, message }) =>
      withPod(1, (cluster) =>
        Effect.gen(function* () {
          const { code, text } = yield* read(cluster, query)
          expect(code).toBe(400)
          expect(text()).toContain(message)
        })
      )
  )
})

describe("a log with follow=true", () => {
  const remove = (cluster: ClusterService) =>
    Effect.orDie(cluster.delete({ resource: resources.pods, name: "web" }))

  it("continues while the container runs, and ends with it", () =>
    withPod(1, (cluster) =>
      Effect.gen(function* () {
        const reading = yield* read(cluster, "follow=true")
        expect([reading.text(), reading.isOver()]).toEqual([`${firstLine}\n`, false])
        yield* passSeconds(cluster, 3)
        expect([reading.text(), reading.isOver()]).toEqual([`${firstLine}\napp: ready\n`, false])
        yield* remove(cluster)
        yield* passSeconds(cluster, 5)
        expect(reading.isOver()).toBe(true)
        expect(reading.text().split("\n").slice(0, 3)).toEqual([
          firstLine,
          "app: ready",
          "asked to stop, 30s left"
        ])
      })
    ))

  it("ends with the run that it began with", () =>
    withPod(
      1,
      (cluster) =>
        Effect.gen(function* () {
          const reading = yield* read(cluster, "follow=true&tailLines=0")
          yield* passSeconds(cluster, 20)
          expect([reading.text(), reading.isOver()]).toEqual(["ended: exit code 3\n", true])
        }),
      { behaviour: crashing }
    ))

  it("ends after limitBytes", () =>
    withPod(1, (cluster) =>
      Effect.gen(function* () {
        const reading = yield* read(cluster, `follow=true&limitBytes=${firstLine.length + 5}`)
        yield* passSeconds(cluster, 3)
        expect([reading.text(), reading.isOver()]).toEqual([`${firstLine}\napp:`, true])
      })
    ))

  it("sends nothing to a reader that has left", () =>
    withPod(1, (cluster) =>
      Effect.gen(function* () {
        const reading = yield* read(cluster, "follow=true")
        reading.leave()
        yield* passSeconds(cluster, 3)
        expect(reading.text()).toBe(`${firstLine}\n`)
      })
    ))
})
