import { describe, expect, it } from "vitest"
import { podMarkOf } from "../../../src/page/fleet/podMarks.ts"
import { aContainerStatus, aPod, aRunningState, aTerminatedState, aWaitingState } from "../../builders.ts"
import { podRow } from "../../../src/cli/tree/podRows.ts"
import type { ContainerStatus, Pod } from "../../../src/kubernetes/meta/objects.ts"

const status = (name: string, state: ContainerStatus["state"], restartCount = 0): ContainerStatus => ({
  ...aContainerStatus({ name, image: `${name}:1`, restartCount }),
  ready: state?.running !== undefined || state?.terminated?.exitCode === 0,
  ...(state === undefined ? {} : { state })
})

const waiting: (reason: string, message?: string) => ContainerStatus["state"] = aWaitingState
const ended = (exitCode: number, reason: string): ContainerStatus["state"] =>
  aTerminatedState(exitCode, { reason })
const running = aRunningState()

/** A Pod with two init containers and one container. */
const aPodWith = (...[migrate, warm, web]: ReadonlyArray<ContainerStatus["state"]>): Pod => ({
  ...aPod({
    name: "web-1",
    node: "node-1",
    spec: {
      initContainers: [
        { name: "migrate", image: "migrate:1" },
        { name: "warm", image: "warm:1" }
      ],
      containers: [{ name: "web", image: "web:1" }]
    }
  }),
  status: {
    phase: web?.running === undefined ? "Pending" : "Running",
    conditions: [],
    initContainerStatuses: [status("migrate", migrate, 4), status("warm", warm)],
    containerStatuses: [status("web", web)]
  }
})

const waitingForInit = waiting("PodInitializing")

describe("the row of a Pod with init containers", () => {
  it.each([
    {
      why: "the first of two init containers runs",
      pod: aPodWith(running, waitingForInit, waitingForInit),
      word: "Init:0/2",
      glyph: "◌",
      note: "node-1, 4 restarts"
    },
    {
      why: "one init container has completed",
      pod: aPodWith(ended(0, "Completed"), running, waitingForInit),
      word: "Init:1/2",
      glyph: "◌",
      note: "node-1, 4 restarts"
    },
    {
      why: "the image of an init container cannot be pulled",
      pod: aPodWith(
        waiting("ImagePullBackOff", 'Back-off pulling image "migrate:1"'),
        waitingForInit,
        waitingForInit
      ),
      word: "Init:ImagePullBackOff",
      glyph: "✖",
      note: 'node-1, 4 restarts, Back-off pulling image "migrate:1"',
      mark: { mark: "trouble", why: "Init:ImagePullBackOff" }
    },
    {
      why: "an init container has failed",
      pod: aPodWith(ended(0, "Completed"), ended(3, "Error"), waitingForInit),
      word: "Init:Error",
      glyph: "✖",
      note: "node-1, 4 restarts",
      mark: { mark: "trouble", why: "Init:Error" }
    },
    {
      why: "an init container fails repeatedly",
      pod: aPodWith(waiting("CrashLoopBackOff", "back-off 40s"), waitingForInit, waitingForInit),
      word: "Init:CrashLoopBackOff",
      glyph: "✖",
      note: "node-1, 4 restarts, back-off 40s",
      mark: { mark: "trouble", why: "Init:CrashLoopBackOff" }
    },
    {
      why: "both init containers have completed",
      pod: aPodWith(ended(0, "Completed"), ended(0, "Completed"), waitingForInit),
      word: "PodInitializing",
      glyph: "◌",
      note: "node-1",
      mark: { mark: "starting" }
    },
    {
      why: "restarts of init containers are not counted once the containers run",
      pod: aPodWith(
        ended(0, "Completed"),
        ended(0, "Completed"),
        waiting("CrashLoopBackOff", "back-off 10s")
      ),
      word: "CrashLoopBackOff",
      glyph: "✖",
      note: "node-1, back-off 10s",
      mark: { mark: "trouble", why: "CrashLoopBackOff" }
    }
  ])("shows $word: $why", ({ pod, word, glyph, note, mark }) => {
    const row = podRow(pod)
    expect({ word: row.status?.word, glyph: row.status?.glyph, note: row.note }).toEqual({
      word,
      glyph,
      note
    })
    if (mark !== undefined) expect(podMarkOf(pod)).toEqual(mark)
  })
})
