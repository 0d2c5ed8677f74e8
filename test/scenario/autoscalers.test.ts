import { expect, it } from "vitest"
import { autoscalerWarnings } from "../../src/plan/warnings/autoscalerWarnings.ts"
import { plan } from "../../src/plan/plan.ts"
import { withLastAppliedAnnotation } from "../../src/manifests/lastApplied.ts"
import { aManifest } from "../cluster/worlds.ts"
import type { Draft, Manifest } from "../../src/kubernetes/meta/objects.ts"

const autoscaler = (target: object, version = "v2", name = "sizes"): Manifest => ({
  apiVersion: `autoscaling/${version}`,
  kind: "HorizontalPodAutoscaler",
  metadata: { name, namespace: "shop" },
  spec: { minReplicas: 2, maxReplicas: 10, scaleTargetRef: { apiVersion: "apps/v1", ...target } }
})
const sizes = autoscaler({ kind: "Deployment", name: "web" })

const web = (replicas?: number): Draft & { readonly spec: object } => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop" },
  spec: replicas === undefined ? {} : { replicas }
})
/** What runs, and what the manifest said that was applied last; `never` where nobody applied any. */
const running = (replicas: number, applied: number | undefined | "never"): Draft => ({
  ...web(replicas),
  metadata:
    applied === "never"
      ? web().metadata
      : { ...web().metadata, ...(withLastAppliedAnnotation({ ...web(applied) })["metadata"] as object) }
})

const edit =
  "First take it out of what was applied last (kubectl apply edit-last-applied deployment/web -n shop)"

it.each<{
  readonly why: string
  readonly before?: ReadonlyArray<Manifest>
  readonly next: ReadonlyArray<Manifest>
  readonly isLive?: boolean
  readonly says: string | undefined
}>([
  {
    why: "of something that is new, once it has a size",
    next: [web(3), { ...web(5), kind: "StatefulSet" }, sizes],
    says: "The next kubectl apply sets whatever it comes to back to spec.replicas: 3. Leave it out of the manifest"
  },
  {
    why: "of something that is new and has none",
    next: [web(), sizes],
    says:
      "No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in " +
      "a copy of -f"
  },
  {
    why: "that it switches off",
    before: [web(3), sizes],
    next: [web(0)],
    says: "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  },
  {
    why: "that every manifest sets back",
    before: [web(3), sizes],
    next: [web(3), sizes],
    says: `kubectl apply sets whatever it comes to back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "that no manifest says",
    before: [web(), autoscaler({ kind: "Deployment", name: "web" }, "v1")],
    next: [web()],
    says:
      "No manifest says spec.replicas, and this is the plan of 1, the default. To plan for as many as run, say so in " +
      "copies of --from and -f"
  },
  {
    why: "that runs, and is another than the manifest's",
    before: [running(7, 3), sizes],
    next: [web(3)],
    isLive: true,
    says: `kubectl apply sets the 7 of now back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "that runs, and is the manifest's for now",
    before: [running(3, 3), sizes],
    next: [web(3)],
    isLive: true,
    says: `kubectl apply sets whatever it comes to back to spec.replicas: 3. ${edit}, then out of the manifest`
  },
  {
    why: "that a manifest is to say for the first time",
    before: [running(7, undefined), sizes],
    next: [web(4)],
    isLive: true,
    says: "kubectl apply sets the 7 of now back to spec.replicas: 4. Leave it out of the manifest"
  },
  {
    why: "that a manifest says no more",
    before: [running(7, 3), sizes],
    next: [web()],
    isLive: true,
    says:
      "The manifest has no spec.replicas, and the one that was applied last had 3: kubectl apply takes the field away, " +
      `and the Deployment goes from 7 to 1, the default. ${edit}`
  },
  {
    why: "that stays",
    before: [running(7, undefined), sizes],
    next: [web()],
    isLive: true,
    says: "No manifest says spec.replicas: kubectl apply leaves the 7 that there are, and this is the plan of those"
  },
  {
    why: "that stays where nobody ever applied any",
    before: [running(7, "never"), sizes],
    next: [web()],
    isLive: true,
    says: "No manifest says spec.replicas: kubectl apply leaves the 7 that there are, and this is the plan of those"
  },
  { why: "of nobody who has none", next: [web(3)], says: undefined },
  {
    why: "that a manifest says no more, as far as the files tell",
    before: [web(3), sizes],
    next: [web()],
    says:
      "The manifest has no spec.replicas, and the one that was applied last had 3: kubectl apply takes the field away, " +
      `and the Deployment goes to 1, the default. ${edit}`
  },
  {
    why: "once, as it is said of it last",
    before: [web(3), autoscaler({ kind: "Deployment", name: "web" }), { ...sizes, spec: {} }],
    next: [web(0), sizes],
    says: "At spec.replicas: 0 it does nothing, and no Pod is left. Leave it out of the manifest"
  },
  {
    why: "of nobody else",
    next: [
      web(3),
      { ...web(3), kind: "StatefulSet" },
      autoscaler({ kind: "Deployment", name: "other" }, "v2", "one"),
      autoscaler({ kind: "StatefulSet", name: "web" }, "v2", "two"),
      autoscaler({ kind: "Deployment", name: "web", apiVersion: "example.com/v1" }, "v2", "three"),
      { ...sizes, metadata: { name: "sizes", namespace: "market" } }
    ],
    says: undefined
  }
])(
  "a plan warns of the size that an autoscaler gives: $why",
  ({ before = [], next, isLive = false, says }) => {
    const sentence =
      "HorizontalPodAutoscaler/sizes gives Deployment/shop/web 2 to 10 replicas and is not played here: the rollout may " +
      "have any of these sizes. "
    expect(autoscalerWarnings({ before, next, isLive })).toEqual(says === undefined ? [] : [sentence + says])
  }
)

it("what a plan warns of is what becomes of the size: the manifest's, or the default where it says it no more", async () => {
  const scaled = { ...autoscaler({ kind: "Deployment", name: "web" }), metadata: { name: "web" } }
  const { spec, ...rest } = aManifest({ replicas: 5 })
  const { replicas: _replicas, ...sizeless } = spec as { readonly replicas: number }
  const from = [{ ...rest, spec }, scaled]
  const says = async (next: Manifest) => {
    const { warnings, rollouts } = await plan({ from, next: [next], seeds: 1 })
    return { desired: rollouts.map(({ desired }) => desired), said: warnings.join() }
  }
  expect(await says(aManifest({ replicas: 4, version: "v2" }))).toEqual({
    desired: [4],
    said: expect.stringMatching(/ 2 to 10 replicas .* back to spec\.replicas: 4\./)
  })
  expect(await says({ ...rest, spec: sizeless })).toEqual({
    desired: [1],
    said: expect.stringMatching(/ goes to 1, the default\. .* edit-last-applied deployment\/web\)$/)
  })
})
