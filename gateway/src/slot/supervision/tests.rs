//! The state machine, step by step.

use super::*;

/// A supervision and the clock of its test.
struct Scene {
    supervision: Supervision,
    now: Instant,
}

impl Scene {
    fn new(restart: Restart) -> Self {
        Self { supervision: Supervision::new(restart), now: Instant::now() }
    }

    fn wait(&mut self, seconds: f64) -> &mut Self {
        self.now += Duration::from_secs_f64(seconds);
        self
    }

    fn connected(&mut self) -> &mut Self {
        self.supervision.connected(self.now);
        self
    }

    /// The delay until the next attempt, in seconds.
    fn failed(&mut self, chance: f64) -> Option<f64> {
        self.supervision.failed(self.now, chance);
        self.delay()
    }

    fn ended(&mut self, end: End) -> Option<f64> {
        self.supervision.ended(end, self.now, 0.0);
        self.delay()
    }

    fn delay(&mut self) -> Option<f64> {
        let State::Failing { next } = self.supervision.state() else { return None };
        let delay = next - self.now;
        self.now = next;
        self.supervision.retrying();
        assert_eq!(self.supervision.state(), State::Starting);
        Some(delay.as_secs_f64())
    }
}

#[test]
fn u3_delays_double_from_one_second_to_sixty() {
    let mut scene = Scene::new(Restart::Always);
    let delays: Vec<f64> = (0..9).filter_map(|_| scene.failed(0.0)).collect();
    assert_eq!(delays, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]);
    scene.supervision.failures = u32::MAX;
    assert_eq!(scene.failed(0.0), Some(60.0));
}

#[test]
fn u3_jitter_only_shortens_a_delay() {
    for chance in [0.0, 0.3, 1.0, 7.0, -1.0] {
        let delay = Scene::new(Restart::Always).failed(chance).unwrap();
        assert!((0.75..=1.0).contains(&delay), "{chance}: {delay}");
    }
}

#[test]
fn u3_sixty_seconds_of_health_reset_the_delay() {
    let mut scene = Scene::new(Restart::Always);
    scene.failed(0.0);
    scene.failed(0.0);
    assert_eq!(scene.connected().wait(59.0).ended(End::Lost), Some(4.0));
    assert_eq!(scene.connected().wait(60.0).ended(End::Lost), Some(1.0));
}

#[test]
fn u3_lists_are_kept_until_the_fifth_failure_in_a_row_and_return_with_the_connection() {
    let mut scene = Scene::new(Restart::Always);
    scene.connected().wait(1.0);
    scene.ended(End::Lost);
    for failures in 1..9 {
        assert_eq!(scene.supervision.failures(), failures);
        assert_eq!(scene.supervision.keeps_lists(), failures < 5, "{failures}");
        scene.failed(0.0);
    }
    assert!(scene.connected().supervision.keeps_lists());
    assert_eq!(scene.supervision.restarts(), 1);
}

#[test]
fn u4_a_lost_session_is_replaced_at_once_unless_it_was_just_opened() {
    let mut scene = Scene::new(Restart::Always);
    assert_eq!(scene.connected().wait(2.0).ended(End::SessionLost), Some(0.0));
    assert_eq!(scene.supervision.failures(), 0);
    assert_eq!(scene.connected().wait(0.1).ended(End::SessionLost), Some(1.0));
    assert_eq!(scene.connected().wait(0.1).ended(End::SessionLost), Some(2.0));
}

#[test]
fn u14_without_restarts_the_first_end_is_final() {
    let mut scene = Scene::new(Restart::Never);
    assert_eq!(scene.connected().wait(100.0).ended(End::Lost), None);
    assert_eq!(scene.supervision.state(), State::Stopped);
    assert!(!scene.supervision.keeps_lists());
    scene.supervision.retrying();
    assert_eq!(scene.supervision.state(), State::Stopped);
    assert_eq!(Scene::new(Restart::Never).failed(0.0), None);
}

/// A call of this client that timed out.
fn late(client: &str, is_alone: bool) -> Late {
    Late { client: client.into(), is_alone }
}

fn is_pinged(supervision: &Supervision) -> bool {
    supervision.state() == State::Pinged
}

#[test]
fn u20_three_calls_in_a_row_that_time_out_lead_to_a_ping_and_an_answer_in_between_does_not_count() {
    let mut scene = Scene::new(Restart::Always);
    scene.supervision.timed_out(late("a", false), 0);
    assert_eq!(scene.supervision.state(), State::Starting);
    let supervision = &mut scene.connected().supervision;
    for (client, answers) in [("a", 7), ("b", 7), ("a", 8), ("b", 8)] {
        supervision.timed_out(late(client, false), answers);
        assert!(!is_pinged(supervision), "{client} {answers}");
    }
    supervision.timed_out(late("a", false), 8);
    assert!(is_pinged(supervision));
    assert!(supervision.answered() && !supervision.answered());
    supervision.timed_out(late("b", false), 9);
    assert!(supervision.state() == State::Ready, "the streak is over");
}

#[test]
fn u20_slow_calls_of_one_client_alone_lead_to_no_ping_unless_the_upstream_is_its_own() {
    let mut scene = Scene::new(Restart::Always);
    let supervision = &mut scene.connected().supervision;
    (0..100).for_each(|_| supervision.timed_out(late("a", false), 0));
    assert!(!is_pinged(supervision));
    supervision.timed_out(late("a", true), 0);
    assert!(is_pinged(supervision));
}

#[test]
fn u20_what_answers_no_ping_is_silent_until_it_answers_one_or_is_connected_again() {
    let mut scene = Scene::new(Restart::Always);
    let silence = |scene: &mut Scene| {
        (0..3).for_each(|_| scene.supervision.timed_out(late("a", true), 0));
        assert!(scene.supervision.unanswered() && !scene.supervision.unanswered());
        assert!(scene.supervision.keeps_lists());
    };
    silence(scene.connected());
    assert!(scene.supervision.answered());
    assert!(!scene.supervision.unanswered(), "no ping is sent");
    silence(&mut scene);
    assert_eq!(scene.wait(60.0).ended(End::Lost), Some(1.0), "it was connected for a minute");
    assert!(scene.connected().supervision.state() == State::Ready);
}
