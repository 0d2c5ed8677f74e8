import { expect, it } from "vitest"
import { explore } from "../../../src/scenario/plans.ts"
import { blueGreen } from "../../machines/blueGreen.ts"
import { aManifest } from "../../cluster/worlds.ts"

const next = aManifest({ replicas: 2, version: "v2" })

it("every order of a rollout is explored from manifests, as the server would store them", async () => {
  const rollouts = await explore({ from: aManifest({ replicas: 2 }), next, failOn: "available<50%" })
  expect(rollouts).toMatchObject([
    { namespace: "default", name: "web", isNew: false, podsMax: 3, availableMin: 2 }
  ])
  expect(rollouts[0]?.claims.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual([
    "ceiling proved",
    "floor proved",
    "rules proved",
    "end proved",
    "invariant proved"
  ])
})

it("the end of a Deployment that was there before in another namespace is no beginning of this one", async () => {
  const elsewhere = { ...next, metadata: { ...next.metadata, namespace: "kube-system" } }
  const rollouts = await explore({ from: elsewhere, next: [elsewhere, next], failures: 0 })
  expect(rollouts.map(({ namespace, isNew }) => [namespace, isNew])).toEqual([
    ["kube-system", false],
    ["default", true]
  ])
})

it("a strategy of somebody's own is explored like those that are built in", async () => {
  const blue = aManifest({ replicas: 2, version: "v2", spec: { strategy: { type: "BlueGreen" } } })
  const [rollout] = await explore({ from: aManifest({ replicas: 2 }), next: blue, strategies: [blueGreen] })
  expect(rollout?.claims.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual([
    "rules proved",
    "end proved"
  ])
  expect(rollout?.extremes.map(({ availableFewest }) => availableFewest)).toEqual([2, 1])
})

it.each([
  {
    options: { next, strategies: [blueGreen, blueGreen] },
    words: 'the strategy "BlueGreen" is there twice'
  },
  { options: { next, failures: 8 }, words: "failures must be an integer from 0 to 7" },
  { options: { next, failures: 0.5 }, words: "failures must be an integer from 0 to 7" },
  {
    options: { next, failOn: "lost>0" },
    words: "failOn, lost>0: where every order is explored only available and pods can be compared"
  },
  { options: { next, failOn: "available<" }, words: "failOn, column 11: available is compared with a count" },
  {
    options: { next: aManifest({ replicas: 13 }) },
    words: "Deployment default/web: it has 13 replicas, and every order can be explored for 12 at the most"
  },
  { options: { next: { ...next, spec: {} } }, words: "spec.selector: Required value" }
])("bad input is refused: $words", async ({ options, words }) => {
  await expect(explore(options)).rejects.toThrow(words)
})
