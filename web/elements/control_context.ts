// What the control of one parameter is drawn from.
import type { Param } from "../../bindings/api/types.ts";
import type { FigureActions, FigureState } from "./figure_state.ts";

export interface ControlContext {
  param: Param;
  state: FigureState;
  actions: FigureActions;
  /** id of the input, and of the error message that describes it. */
  id: string;
  text: string;
  invalid: boolean;
}
