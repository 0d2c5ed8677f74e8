import { sentenceOf } from "./source/connection.ts"
import { useWorld } from "./world.ts"

/** Says what came of something that was asked for, in the server's words where it said no. */
export const useActing = (): ((asked: Promise<string>) => void) => {
  const { said } = useWorld()
  return (asked) => {
    asked.then(
      (text) => said.set({ text, refused: false }),
      (error: unknown) => said.set({ text: sentenceOf(error), refused: true })
    )
  }
}
