import { clockText } from "../source/time.ts"
import { useKept } from "../useKept.ts"
import { useWorld } from "../world.ts"

/** Says that what is shown of a living cluster is how it was, and leads back. */
export const MomentView = () => {
  const { history, moment, choose, source, known } = useWorld()
  const chosen = useKept(moment)
  useKept(known)
  if (chosen === undefined || source.get()?.type !== "living") return null
  const told = history.get()
  if (told.header === undefined) return null
  const isTooOld = chosen < told.beginNumber
  return (
    <p class="notice moment" role="status" data-testid="banner">
      {isTooOld
        ? `What was before ${clockText(told.beginMillis)} is not kept any more: this is how it was then.`
        : `As it was at ${clockText(told.millisAt(chosen))}.`}{" "}
      <button type="button" onClick={() => choose(undefined)}>
        back to now
      </button>{" "}
      <span class="quiet">Escape or End</span>
    </p>
  )
}
